"""Delivery by the worker: runs, turns of single webhooks, requests and their record."""

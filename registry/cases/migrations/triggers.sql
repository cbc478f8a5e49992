CALL make_permanent('cases_case', 'case_is_permanent');
CALL make_immutable('cases_recusal', 'recusal_is_immutable');
CALL make_erasable('cases_round', 'round_is_immutable', 'UPDATE', 'DELETE OR TRUNCATE');
CALL make_immutable('cases_review', 'review_is_immutable');
CALL make_immutable('cases_takenbackreview', 'taken_back_review_is_immutable');
CALL make_immutable('cases_actionpoint', 'action_point_is_immutable');
CALL make_immutable('cases_reply', 'reply_is_immutable');
CALL make_immutable('cases_dismissal', 'dismissal_is_immutable');
CALL make_immutable('cases_comment', 'comment_is_immutable');

CREATE FUNCTION cases_check_reply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1
        FROM cases_actionpoint point
        JOIN cases_review review ON review.id = point.review_id
        JOIN cases_round requesting ON requesting.id = review.round_id
        JOIN cases_round answering ON answering.case_id = requesting.case_id
        WHERE point.id = NEW.point_id AND answering.id = NEW.round_id AND answering.number > requesting.number
    ) THEN
        RAISE EXCEPTION 'an action point can only be answered in a later round of its case'
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER reply_is_in_later_round BEFORE INSERT ON cases_reply
FOR EACH ROW EXECUTE FUNCTION cases_check_reply();

CREATE FUNCTION cases_check_parent_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1
        FROM cases_comment parent
        JOIN cases_round theirs ON theirs.id = parent.round_id
        JOIN cases_round ours ON ours.case_id = theirs.case_id
        WHERE parent.id = NEW.reply_to_id AND ours.id = NEW.round_id
    ) THEN
        RAISE EXCEPTION 'a comment can only reply to a comment of the same case'
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER reply_is_in_same_case BEFORE INSERT ON cases_comment
FOR EACH ROW WHEN (NEW.reply_to_id IS NOT NULL) EXECUTE FUNCTION cases_check_parent_comment();

-- A case is public from its first round on.
CALL renew_change_token('cases_round', 'INSERT OR UPDATE');
CALL renew_change_token(
    'cases_case',
    'INSERT OR UPDATE OF procedure, standards_action, state, state_since, requested_nid, namespace_id, registrant_id,
        organisation_id, body_id, recognition, changed_at',
    $$NEW.state <> 'draft'$$
);
-- Lists of the API.
CALL renew_change_token('cases_review', 'INSERT OR UPDATE');
CALL renew_change_token('cases_takenbackreview', 'INSERT');
CALL renew_change_token('cases_actionpoint', 'INSERT OR UPDATE');
CALL renew_change_token('cases_reply', 'INSERT OR UPDATE');
CALL renew_change_token('cases_comment', 'INSERT OR UPDATE');

<?xml version="1.0" encoding="UTF-8"?>
<!-- For browsers that open the registry's XML: its entries as a table. IANA's file names such a style sheet. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:iana="http://www.iana.org/assignments" exclude-result-prefixes="iana">
  <xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat"/>

  <xsl:template match="/iana:registry">
    <html lang="en">
      <head><title><xsl:value-of select="iana:title"/></title></head>
      <body>
        <h1><xsl:value-of select="iana:title"/></h1>
        <p>Last updated <xsl:value-of select="iana:updated"/>. There is <a href="urn-namespaces.html">a page</a> that is easier to read.</p>
        <xsl:apply-templates select="iana:registry"/>
      </body>
    </html>
  </xsl:template>

  <xsl:template match="iana:registry/iana:registry">
    <h2><xsl:value-of select="iana:title"/></h2>
    <table>
      <thead><tr><th>URN Namespace</th><th>Registered</th><th>Updated</th></tr></thead>
      <tbody>
        <xsl:for-each select="iana:record">
          <tr>
            <td><xsl:value-of select="iana:name"/></td>
            <td><xsl:value-of select="@date"/></td>
            <td><xsl:value-of select="@updated"/></td>
          </tr>
        </xsl:for-each>
      </tbody>
    </table>
  </xsl:template>
</xsl:stylesheet>

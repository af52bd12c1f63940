-- One lead, as the site's own form sends it.
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = '{"name":"Ada Lovelace","email":"ada@example.org","phone":"+1 416 555 0100","message":"'
  .. string.rep("I would like a website. ", 10)
  .. '","form_location":"homepage"}'

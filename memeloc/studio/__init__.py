"""The web application. In: a survey that is being served. Out: an ASGI application (Starlette).

application.py puts it together: the routes of sheets.py (people who annotate) and owner.py (who
looks on), and the middleware of headers.py and limits.py; running.py runs it by uvicorn, at the
socket of listening.py. Requests are read here and answered by
`memeloc.workspace.surveys.serving`, which knows no HTTP.
"""

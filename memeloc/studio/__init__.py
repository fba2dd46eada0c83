"""The web application. In: a `SurveyServer`. Out: an ASGI application (Starlette).

application.py puts it together: the routes of sheets.py (people who annotate) and its own (the
owner, who looks on), headers and limits; running.py runs it by uvicorn. Requests are read here and
answered by `memeloc.studio.serving`, which knows no HTTP.
"""

"""C72: Django's AdminEmailHandler mails a report with request, locals and settings."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C72",
    "group": "C",
    "kind": "both",
    "requires": ["django"],
    "right": ("The mail has the sealed message and the exception's type; the request is not read."),
    "min_records": 2,
}
SECRETS = ["thrushcombe", "fieldlarking"]


def _divide(question: str) -> float:
    return len(question) / (len(question) - len(question))


def emit() -> None:
    import django
    from django.conf import settings
    from django.http import HttpRequest
    from django.utils.log import AdminEmailHandler

    settings.configure(ADMINS=[("Ops", "ops@operator.example")], DEBUG=False, ROOT_URLCONF=__name__, SECRET_KEY="x")
    django.setup(set_prefix=False)
    mails: list[str] = []

    class Mail(AdminEmailHandler):
        def send_mail(self, subject: str, message: str, *args: object, **kwargs: object) -> None:
            mails.append(f"{subject}\n{message}\n{kwargs}")

    request = HttpRequest()
    request.method, request.path = "GET", "/ask/thrushcombe"
    request.META = {"SERVER_NAME": "x.example", "SERVER_PORT": "80", "QUERY_STRING": "q=fieldlarking"}
    log = logging.getLogger("django.request")
    handler = Mail(include_html=True)
    log.addHandler(handler)
    try:
        _divide("fieldlarking")
    except ZeroDivisionError:
        log.exception("Internal Server Error: %s", request.path, extra=codes(status_code=500, request=request))
    log.warning("Not Found: %s", request.path, extra={"status_code": 404, "request": request})
    log.removeHandler(handler)
    (OUT / "mail.txt").write_text("\n".join(mails), encoding="utf-8")
    assert len(mails) == 2
    assert "ZeroDivisionError" in mails[0]


urlpatterns: list[object] = []

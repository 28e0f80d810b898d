"""Sends a message to the webhook or mailbox of an Airflow connection.

The connection's address and password are secret (webhooks often have secrets in their path): no
log or error contains them.
"""

from __future__ import annotations

import html
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from pipeline.base.errors import InputError

if TYPE_CHECKING:
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier
    from airflow.sdk import Connection

SMTP = "smtp"
TIMEOUT_SECONDS = 5.0
PAUSES = (1.0, 4.0)
"""Seconds between attempts; Airflow allows a DAG run's callback about 50 s."""


class _NoRedirects(HTTPRedirectHandler):
    """Treats redirects as errors: the password is for this address only."""

    def redirect_request(self, *arguments: object) -> None:
        return None


def is_mail(connection: Connection) -> bool:
    """Whether the connection is a mail server, not a webhook."""
    return connection.conn_type == SMTP


def post(connection: Connection, payload: Mapping[str, Any]) -> None:
    """Post a JSON object to the connection's webhook, with retries.

    A password is sent as a bearer token.

    Raises InputError if the connection has no URL.
    Raises OSError if the webhook is unreachable or refuses the request.
    """
    headers = {"Content-Type": "application/json"}
    if connection.password:
        headers["Authorization"] = f"Bearer {connection.password}"
    body = json.dumps(payload).encode()
    request = Request(_address(connection), body, headers, method="POST")
    opener = build_opener(_NoRedirects)
    for pause in (*PAUSES, None):
        try:
            opener.open(request, timeout=TIMEOUT_SECONDS).close()
        except OSError as error:
            if pause is None or (isinstance(error, HTTPError) and error.code < 500):
                raise
            time.sleep(pause)
        else:
            return


def mail(connection: Connection, subject: str, text: str) -> SmtpNotifier:
    """Airflow's notifier for mail. Raises InputError without sender or recipients (``to``)."""
    from airflow.providers.smtp.notifications.smtp import SmtpNotifier

    extra = connection.extra_dejson
    if not extra.get("to") or not extra.get("from_email"):
        raise InputError(
            "recipient or sender missing: set to and from_email in the connection's extra"
        )
    # Only call `notify`: calling the notifier itself would render text in the cause as a template.
    body = f"<pre>{html.escape(text)}</pre>"
    return SmtpNotifier(
        extra["to"],
        extra["from_email"],
        subject=subject,
        html_content=body,
        smtp_conn_id=connection.conn_id,
    )


def _address(connection: Connection) -> str:
    """URL of a webhook: the host if it is a URL, else built from the connection's parts."""
    url = connection.host or ""
    if "://" not in url:
        port = f":{connection.port}" if connection.port else ""
        url = f"{connection.conn_type}://{url}{port}/{connection.schema or ''}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            "webhook URL missing: set the connection's host to an http(s) URL, or its type to smtp"
        )
    return url

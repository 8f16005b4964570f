"""Replays an exported cassette with vcrpy under real clients: CASSETTE CALLS, answers as lines of JSON."""
import base64, json, sys
import httpx, requests, vcr

cassette, calls = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
player = vcr.VCR(record_mode="none", match_on=["method", "uri", "raw_body"])


def with_requests(call, body, headers):
    reply = requests.request(call["method"], call["url"], data=body, headers=headers)
    return reply.status_code, reply.headers.get("content-type"), reply.content


def with_httpx(call, body, headers):
    with httpx.Client() as client:
        reply = client.request(call["method"], call["url"], content=body, headers=headers)
        return reply.status_code, reply.headers.get("content-type"), reply.content


def with_stream(call, body, headers):
    with httpx.stream(call["method"], call["url"], content=body, headers=headers) as reply:
        return reply.status_code, reply.headers.get("content-type"), b"".join(reply.iter_bytes())


for client in (with_requests, with_httpx, with_stream):
    with player.use_cassette(cassette):
        for call in calls:
            body = base64.b64decode(call["body"]) or None
            headers = {"content-type": call["contentType"]} if call["contentType"] else {}
            try:
                status, content_type, content = client(call, body, headers)
                said = [status, content_type or "", base64.b64encode(content).decode()]
            except Exception as error:
                said = [type(error).__name__, str(error)[:200], ""]
            print(json.dumps([client.__name__, *said]))

import { exitCodes } from '@svc/shared/wire/exit-codes.ts'

type Cause = { message: string; hint: string; exit: number }

const cause = (message: string, hint: string): Cause => ({ message, hint, exit: exitCodes.failure })
const passing = (message: string, hint: string): Cause => ({ message, hint, exit: exitCodes.tryAgain })

/** Every distinguishable cause that keeps a daemon from its relay, and what to do about it. Codes are never renamed. */
export const causes = {
  not_configured: {
    message: 'No relay is configured.',
    hint: 'Set SVC_RELAY_URL, and SVC_RELAY_TOKEN or SVC_RELAY_TOKEN_FILE.',
    exit: exitCodes.configuration,
  },
  key_unreadable: {
    message: 'The connection key cannot be read.',
    hint: 'Check SVC_RELAY_TOKEN_FILE: it must be a file with the key, readable by this user.',
    exit: exitCodes.configuration,
  },
  dns_not_found: cause(
    'The name of the relay does not exist.',
    'Compare SVC_RELAY_URL with the one that you were given.',
  ),
  dns_unavailable: passing('Names cannot be resolved now.', 'Check the network and the DNS servers of this machine.'),
  connection_refused: cause(
    'The address of the relay refuses connections.',
    'Check the port of SVC_RELAY_URL, and whether a firewall rejects the connection.',
  ),
  connection_timeout: passing(
    'The relay does not respond at all.',
    'A firewall may drop connections to that port: allow it, or set HTTPS_PROXY.',
  ),
  connection_failed: passing('The connection to the relay failed.', 'Check the network of this machine.'),
  proxy_unreachable: cause('The proxy of HTTPS_PROXY cannot be reached.', 'Check the address in HTTPS_PROXY.'),
  proxy_credentials: cause(
    'The proxy requires credentials.',
    'Put user and password into HTTPS_PROXY: http://user:password@host:port.',
  ),
  proxy_refused: cause(
    'The proxy refuses to connect to the relay.',
    'Ask the owner of the proxy to allow the host and port of SVC_RELAY_URL.',
  ),
  tls_untrusted: cause(
    'The certificate is not signed by an authority that this machine trusts.',
    'If your network inspects TLS, set NODE_EXTRA_CA_CERTS to the certificate of its authority.',
  ),
  tls_expired: cause(
    'The certificate has expired.',
    'Check the clock of this machine. If it is right, the service must renew the certificate.',
  ),
  tls_not_yet_valid: cause(
    'The certificate is not valid yet.',
    'The clock of this machine is most likely behind: set it.',
  ),
  tls_wrong_name: cause(
    'The certificate is for another name.',
    'Another server responds under this name, or SVC_RELAY_URL is wrong.',
  ),
  tls_missing: cause('The relay does not speak TLS at this port.', 'Check scheme and port of SVC_RELAY_URL.'),
  tls_failed: cause('The TLS handshake failed.', 'The details name the reason.'),
  redirected: cause(
    'The relay redirects elsewhere.',
    'A sign-in page of the network may be in between; the daemon never follows with its key.',
  ),
  not_the_service: cause(
    'The response is not from the service.',
    'Check SVC_RELAY_URL, and whether the network shows a sign-in page.',
  ),
  http_timeout: passing(
    'The connection opens, but no response arrives.',
    'Something between this machine and the relay holds the request back.',
  ),
  clock_skew: cause('The clock of this machine is wrong.', 'Set it by NTP: requests are signed for 30 seconds.'),
  key_refused: cause(
    'The relay refuses the connection key.',
    'Issue a new key in the app, and check that it belongs to this organization.',
  ),
  too_many_requests: passing('The relay has seen too many wrong keys from this address.', 'Wait a minute.'),
  relay_overloaded: passing('The relay is overloaded now.', 'It tells svcd when to retry; there is nothing to do.'),
  websocket_blocked: cause(
    'WebSockets are blocked.',
    'A proxy in between responds instead of upgrading: allow Upgrade for this host.',
  ),
  websocket_altered: cause(
    'The WebSocket handshake is altered by a proxy.',
    'It drops the header Sec-WebSocket-Protocol: let it pass unchanged.',
  ),
  websocket_stalled: cause(
    'The WebSocket opens, but no message arrives.',
    'A proxy in between buffers: turn buffering off for this host.',
  ),
  frame_limit: cause(
    'Large messages do not get through.',
    'Something in between limits the size of WebSocket messages: raise the limit to 256 KiB.',
  ),
} satisfies Record<string, Cause>

export type CauseCode = keyof typeof causes

/** Thrown by a check that found the cause. */
export class Blocked extends Error {
  readonly code: CauseCode
  readonly details: string | undefined

  constructor(code: CauseCode, details?: string) {
    super(causes[code].message)
    this.code = code
    this.details = details
  }
}

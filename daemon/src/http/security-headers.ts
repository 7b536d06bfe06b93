/** Headers of every response, set on the raw response so that streams that bypass the framework have them too. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'cache-control': 'private, no-store',
}

/** What the pages of the UI may load: their own files. The editor creates styles at run time. */
export const uiContentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:", // a request to another host would tell it who reads which note
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "connect-src 'self'",
  "worker-src 'self'",
].join('; ')

/** Content of a vault is never a page of its own: it runs nothing and loads nothing. */
export const attachmentContentSecurityPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * The Content-Security-Policy of every page of a vault, as svcd serves it locally and the gateway on vault origins: its
 * own files and nothing else. The editor creates styles at run time.
 */
export const vaultPagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:", // an image from elsewhere would tell its server who reads what, and when
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "connect-src 'self'",
  "worker-src 'self'",
].join('; ')

import type { onSendHookHandler } from 'fastify'

type Origins = { baseUrl: string; vaultOriginTemplate: string }

/** Allowed targets of forms of the web app: itself, and the vault origins that entry is posted to. */
const formTargets = ({ vaultOriginTemplate }: Origins) => `'self' ${vaultOriginTemplate.replace('{label}', '*')}`

/**
 * Headers of every response of the control plane. `strict-origin` lets a vault origin see which site posts an entry.
 */
export function securityHeaders(origins: Origins): Record<string, string> {
  const policy = [
    `default-src 'self'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data: blob:`, // a picture from elsewhere would tell its server who looks at which page
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action ${formTargets(origins)}`,
    `frame-ancestors 'none'`,
    `connect-src 'self'`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(origins.baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** Sets them on every response; a response without a caching policy is not cached. */
export function securityHeadersHook(origins: Origins): onSendHookHandler {
  const headers = Object.entries(securityHeaders(origins))
  return (_request, reply, payload, done) => {
    for (const [name, value] of headers) if (!reply.hasHeader(name)) reply.header(name, value)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  }
}

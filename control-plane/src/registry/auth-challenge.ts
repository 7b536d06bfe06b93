/** How a registry wants requests authorized: with a token from a URL, or with name and password. */
export type AuthChallenge = { scheme: 'bearer'; realm: string; service: string | undefined } | { scheme: 'basic' }

// RFC 9110: a scheme, then comma-separated parameters, with quoted or plain values.
const PARAMETER = /([a-z][a-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))[\s,]*/iy
const SCHEME = /[\s,]*([a-z][a-z0-9-]*)(?:\s+|$)/iy

/** Parses `WWW-Authenticate` and prefers Bearer. Undefined when no challenge is understood. Pure. */
export function readAuthChallenge(header: string): AuthChallenge | undefined {
  const challenges = split(header)
  const bearer = challenges.find(({ scheme, parameters }) => scheme === 'bearer' && parameters.has('realm'))
  if (bearer !== undefined) {
    const { parameters } = bearer
    return { scheme: 'bearer', realm: parameters.get('realm') ?? '', service: parameters.get('service') }
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : undefined
}

function split(header: string) {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = []
  let at = 0
  for (;;) {
    SCHEME.lastIndex = at
    const scheme = SCHEME.exec(header)
    if (scheme === null) return challenges
    at = SCHEME.lastIndex
    const parameters = new Map<string, string>()
    for (;;) {
      PARAMETER.lastIndex = at
      const parameter = PARAMETER.exec(header)
      if (parameter === null) break
      at = PARAMETER.lastIndex
      const [, name = '', quoted, bare = ''] = parameter
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare)
    }
    challenges.push({ scheme: (scheme[1] ?? '').toLowerCase(), parameters })
  }
}

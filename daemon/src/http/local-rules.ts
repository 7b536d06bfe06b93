import { DIAGRAM_SCRIPTS } from '@svc/shared/diagram/diagram-page.ts'
import { fail, type ServiceError } from '@svc/shared/wire/errors.ts'
import { hostName } from './host-name.ts'
import { isUiPath } from './ui-path.ts'

/** The parts of a request that the rules check, as sent. */
export type LocalRequest = {
  method: string
  target: string
  hosts: readonly string[]
  origin: string | undefined
  fetchSite: string | undefined
  fetchMode: string | undefined
  fetchDest: string | undefined
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * There is no login at this machine, so web pages and rebound names must be kept out: the failure, or undefined when
 * the request may pass. Pure.
 */
export function localProblem(request: LocalRequest, allowedHosts: readonly string[]): ServiceError | undefined {
  const { target, hosts, origin, fetchSite } = request
  if (!target.startsWith('/') && target !== '*')
    return fail('invalid_request', [{ path: 'target', message: 'must be a path, not a whole address' }])
  if (hosts.length !== 1) return fail('invalid_request', [{ path: 'host', message: 'must be sent exactly once' }])

  const host = hosts[0]!.toLowerCase()
  const name = hostName(host)
  const allowed = name !== undefined && allowedHosts.includes(name)
  if (name === undefined || !(LOOPBACK.has(name) || allowed)) return fail('misdirected_request')

  if (origin !== undefined) {
    // A named host may be behind a proxy with TLS; the scheme of a loopback request is always http.
    const own = [`http://${host}`, ...(allowed ? [`https://${host}`] : [])]
    if (!own.includes(origin.toLowerCase()))
      return fail('forbidden', { reason: 'Requests of other origins are refused.' })
  }
  const sameSite = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none'
  if (!sameSite && !isNavigationToUi(request) && !isDiagramScript(request))
    return fail('forbidden', { reason: 'Requests of other sites are refused.' })
  return undefined
}

/** A link elsewhere may lead to the UI: the browser shows it to a person and no page can read it. */
function isNavigationToUi({ method, target, origin, fetchMode, fetchDest }: LocalRequest): boolean {
  return (
    method === 'GET' && isUiPath(target) && origin === undefined && fetchMode === 'navigate' && fetchDest === 'document'
  )
}

/** The diagram page has no origin, so it loads its own script cross-site. The script is the same for everybody. */
function isDiagramScript({ method, target, origin }: LocalRequest): boolean {
  return method === 'GET' && target.startsWith(DIAGRAM_SCRIPTS) && origin === undefined
}

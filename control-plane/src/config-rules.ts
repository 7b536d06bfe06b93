import type { z } from 'zod'
import { originText, type ControlPlaneEnvironment } from './config-variables.ts'

/** The placeholder for the label of an organization in VAULT_ORIGIN_TEMPLATE. */
export const LABEL = '{label}'
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True for an address that can only be reached from this machine. */
export const isLoopbackOrigin = (origin: string): boolean => LOOPBACK.has(new URL(origin).hostname)

type Values = z.output<typeof ControlPlaneEnvironment>
type Problem = { path: keyof Values; message: string }

const pairs = [
  ['BACKUP_BUCKET', 'BACKUP_KEY'],
  ['BACKUP_KEY', 'BACKUP_BUCKET'],
  ['BACKUP_ACCESS_KEY_ID', 'BACKUP_SECRET_ACCESS_KEY'],
  ['BACKUP_SECRET_ACCESS_KEY', 'BACKUP_ACCESS_KEY_ID'],
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
] as const

/** Problems of variables that are valid each but not together. */
export function problemsOf(values: Values): Problem[] {
  const problems: Problem[] = pairs
    .filter(([given, needed]) => values[given] !== undefined && values[needed] === undefined)
    .map(([given, needed]) => ({ path: needed, message: `must be set together with ${given}` }))

  const template = values.VAULT_ORIGIN_TEMPLATE
  if (template === undefined && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'VAULT_ORIGIN_TEMPLATE', message: 'is needed because BASE_URL is not loopback' })
  if (template !== undefined && !isVaultTemplate(template))
    problems.push({ path: 'VAULT_ORIGIN_TEMPLATE', message: 'must be an origin whose first label is {label}' })
  if (values.BASE_URL.startsWith('http:') && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'BASE_URL', message: 'must be https unless it is loopback' })
  if (values.RELAY_URL?.startsWith('http:') === true && !isLoopbackOrigin(values.RELAY_URL))
    problems.push({ path: 'RELAY_URL', message: 'must be https unless it is loopback' })
  if (values.SMTP_URL === undefined && !isLoopbackOrigin(values.BASE_URL))
    problems.push({ path: 'SMTP_URL', message: 'is needed because BASE_URL is not loopback' })
  if (values.SVC_ROLE === 'mcp' && !values.MCP_ENABLED)
    problems.push({ path: 'MCP_ENABLED', message: 'must be 1 where SVC_ROLE is mcp' })
  if (values.REDIS_URL !== undefined && values.INTERNAL_URL === undefined && isEveryAddress(values.INTERNAL_HOST))
    problems.push({ path: 'INTERNAL_URL', message: 'is needed with REDIS_URL because INTERNAL_HOST is every address' })
  if (values.DEFAULT_DAEMON_IMAGE !== undefined && values.DAEMON_IMAGE_REPOSITORY === undefined)
    problems.push({ path: 'DAEMON_IMAGE_REPOSITORY', message: 'must be set together with DEFAULT_DAEMON_IMAGE' })
  const { DEFAULT_DAEMON_IMAGE: image = '@', IMAGE_DIGESTS: digests, IMAGE_REGISTRY_URL: registry } = values
  if (!image.includes('@') && digests === 'required' && registry === 'none')
    problems.push({ path: 'DEFAULT_DAEMON_IMAGE', message: 'must name a digest, or IMAGE_REGISTRY_URL a registry' })
  return problems
}

const isEveryAddress = (host: string) => ['0.0.0.0', '::', '[::]'].includes(host)

function isVaultTemplate(template: string): boolean {
  const parsed = originText.safeParse(template.replace(LABEL, 'label'))
  return (
    parsed.success && parsed.data === template.replace(LABEL, 'label') && new URL(parsed.data).host.startsWith('label.')
  )
}

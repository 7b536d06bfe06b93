import { z } from 'zod'
import { Secret } from '@svc/shared/kit/secret.ts'

/** Name and password for a registry. */
export type RegistryCredentials = { username: string; password: Secret }

const Auth = z.object({ auth: z.string().optional(), username: z.string().optional(), password: z.string().optional() })
const DockerConfig = z.object({ auths: z.record(z.string(), Auth).default({}) })

/** The credentials of a host in a parsed Docker configuration. Pure. */
export function credentialsIn(config: unknown, host: string): RegistryCredentials | undefined {
  const { auths } = DockerConfig.parse(config)
  const [, found] = Object.entries(auths).find(([address]) => hostOf(address) === host.toLowerCase()) ?? []
  if (found === undefined) return undefined
  const [username = '', ...rest] = Buffer.from(found.auth ?? '', 'base64')
    .toString()
    .split(':')
  const name = found.username ?? username
  const password = found.password ?? rest.join(':')
  return name === '' ? undefined : { username: name, password: new Secret(password) }
}

// Keys are hosts, or URLs of an older form: https://registry.example.net/v2/
const hostOf = (address: string) =>
  address
    .replace(/^https?:\/\//i, '')
    .split('/')[0]
    ?.toLowerCase()

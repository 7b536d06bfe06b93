import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { createLog } from '@svc/shared/kit/log.ts'
import { openDatabase } from '../../../control-plane/src/db/database.ts'
import { migrate } from '../../../control-plane/src/db/migrator.ts'
import { startPostgres } from '../../../embedded/database/postgres.ts'
import { startMailServer } from '../../support/mail-server.ts'
import type { Mailbox } from '../../support/mailbox.ts'
import { startPlatform } from '../../support/platform.ts'
import { prepareReplica } from '../../support/replica-process.ts'
import { startWatchingProxy, type WatchingProxy } from './watching-proxy.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** A running platform, and the proxy through which a browser reaches it under its names. */
export type Site = {
  controlPlane: string
  dialInPort: number
  mailbox: Mailbox
  proxy: WatchingProxy
  /** Whether a browser counts two vault origins as one site. It then sends cookies of one to the other. */
  vaultsAreOneSite: boolean
  close(): Promise<void>
}

/** The embedded platform: `localhost` and `<label>.localhost` on one port, no TLS. */
export async function startLoopbackSite(): Promise<Site> {
  const platform = await startPlatform()
  const proxy = await startWatchingProxy({
    portOf: (host) => (/(^|\.)localhost:\d+$/.test(host) ? platform.port : undefined),
  })
  return {
    controlPlane: platform.origin,
    dialInPort: platform.port,
    mailbox: platform.mailbox,
    proxy,
    vaultsAreOneSite: false,
    close: async () => {
      proxy.close()
      await platform.remove()
    },
  }
}

const PUBLIC_NAME = 'notes.example.com'
/** A domain whose subdomains are one site to browsers. */
const VAULTS = 'vaults.example.net'
/** A public suffix to browsers (the list has `*.ck`): each name below it is a site of its own. */
const SUFFIX = 'vaults.ck'

/** A replica as in production: https in front, and a domain for the vaults that is not the control plane's. */
export const startPublicSite = () => startReplicaSite(VAULTS)

/** The same with a public suffix as the domain of the vaults. */
export const startSuffixSite = () => startReplicaSite(SUFFIX)

async function startReplicaSite(vaults: string): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-site-'))
  await chmod(folder, 0o711)
  const log = createLog({ service: 'test', level: 'error' })
  const postgres = await startPostgres({ folder, clock: systemClock, log, settings: { fsync: 'off' } })
  const url = await postgres.database('site')
  const { db, close } = openDatabase({ url, log, max: 1 })
  await migrate(db)
  await close()

  const mails = await startMailServer()
  const replica = await prepareReplica('site')
  await replica.start({
    BASE_URL: `https://${PUBLIC_NAME}`,
    VAULT_ORIGIN_TEMPLATE: `https://{label}.${vaults}`,
    DATABASE_URL: url.reveal(),
    SMTP_URL: mails.url,
  })
  const { api, gateway } = replica.ports
  const proxy = await startWatchingProxy({
    portOf: (host) => (host === PUBLIC_NAME ? api : host.endsWith(`.${vaults}`) ? gateway : undefined),
    identity: await selfSigned(folder, vaults),
  })
  return {
    controlPlane: `https://${PUBLIC_NAME}`,
    dialInPort: replica.ports.dialIn,
    mailbox: mails.mailbox,
    proxy,
    vaultsAreOneSite: vaults !== SUFFIX,
    close: async () => {
      proxy.close()
      await replica.kill()
      mails.close()
      await postgres.stop()
      await removeFolder(folder)
    },
  }
}

async function selfSigned(folder: string, vaults: string): Promise<{ key: Buffer; cert: Buffer }> {
  const [key, cert] = [join(folder, 'site.key'), join(folder, 'site.crt')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10']
  const names = ['-subj', '/CN=site', '-addext', `subjectAltName=DNS:${PUBLIC_NAME},DNS:*.${vaults}`]
  await promisify(execFile)('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert])
  return { key: await readFile(key), cert: await readFile(cert) }
}

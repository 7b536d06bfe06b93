import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Secret } from '@svc/shared/kit/secret.ts'
import { idPrefixes, newId, OrgId } from '@svc/shared/wire/ids.ts'

const Stored = z.object({ authSecret: z.string().min(32), operatorOrg: OrgId })

/** What an installation makes once for itself and keeps. */
export type PlatformSecrets = { authSecret: Secret; operatorOrg: string }

/** Reads the secrets of this data folder, or makes them at the first start. The file is for its owner alone. */
export async function platformSecrets(dataDir: string): Promise<PlatformSecrets> {
  const path = join(dataDir, 'secrets.json')
  await mkdir(dataDir, { recursive: true })
  const text = await readFile(path, 'utf8').catch(() => makeSecrets(path))
  const { authSecret, operatorOrg } = Stored.parse(JSON.parse(text))
  return { authSecret: new Secret(authSecret), operatorOrg }
}

async function makeSecrets(path: string): Promise<string> {
  const made = { authSecret: randomBytes(32).toString('base64url'), operatorOrg: newId(idPrefixes.organization) }
  const temporary = `${path}.${process.pid}`
  const file = await open(temporary, 'wx', 0o600)
  await file.writeFile(JSON.stringify(made))
  await file.sync()
  await file.close()
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error // another process was first: its secrets are the ones
  })
  await rm(temporary)
  return readFile(path, 'utf8')
}

import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { relayKeyFiles } from '@svc/shared/wire/daemon/daemon-status.ts'
import type { StoredKey } from '../../managed-daemon/relay-key.ts'
import { writeMount } from './atomic-mount.ts'

const Volume = z.object({ sizeBytes: z.number().int().positive(), owned: z.boolean() })
const Keys = z.array(z.object({ generation: z.number().int().min(0), token: z.string() }))

/** A volume kept as a folder; its size is a promise of the platform, not a limit of the file system. */
export type FolderVolume = z.infer<typeof Volume>

/** The folder of one embedded daemon: `home` is its volume, `keys.json` its Secret, `secret` the Secret as mounted. */
export function createDaemonFolder(dataDir: string, name: string) {
  const at = (...parts: string[]) => join(dataDir, name, ...parts)
  const secret = at('secret')

  return {
    home: at('home'),
    secret,

    hasFixtures: () => exists(secret),
    makeFixtures: () => mkdir(secret, { recursive: true, mode: 0o700 }),

    readVolume: async (): Promise<FolderVolume | undefined> =>
      (await exists(at('home'))) ? readJson(at('volume.json'), Volume) : undefined,
    async writeVolume(volume: FolderVolume): Promise<void> {
      await mkdir(at('home'), { recursive: true, mode: 0o700 })
      await writeJson(at('volume.json'), volume)
    },

    readKeys: async (): Promise<StoredKey[]> => (await readJson(at('keys.json'), Keys)) ?? [],
    writeKeys: (keys: readonly StoredKey[]) => writeJson(at('keys.json'), keys),

    /** Generation of the key that the daemon uses. */
    async currentGeneration(): Promise<number | undefined> {
      const text = await readFile(join(secret, relayKeyFiles.generation), 'utf8').catch(ifMissing(undefined))
      return text === undefined ? undefined : Number(text)
    },
    mountKey: ({ generation, token }: StoredKey) =>
      writeMount(secret, { [relayKeyFiles.token]: token, [relayKeyFiles.generation]: String(generation) }),

    /** Removes everything except the volume. */
    async removeSecrets(): Promise<void> {
      await rm(at('keys.json'), { force: true })
      await rm(secret, { recursive: true, force: true })
    },
    removeAll: () => rm(at(), { recursive: true, force: true }),
  }
}

export type DaemonFolder = ReturnType<typeof createDaemonFolder>

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(ifMissing(undefined))
  return text === undefined ? undefined : schema.parse(JSON.parse(text))
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(value))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => ifMissing(false)(error),
  )

// Only the file system can say that something is absent; a folder that cannot be read is an error.
const ifMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code !== 'ENOENT') throw error
    return value
  }

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { removeFolder } from './remove-folder.ts'

const script = fileURLToPath(new URL('../s3/build.sh', import.meta.url))
const BUCKET = 'backups'

/** A real S3 storage with one bucket, in a folder. */
export type Bucket = {
  /** The settings for a control plane that uses this bucket. */
  environment: Record<string, string>
  config: { bucket: string; region: string; endpoint: string; accessKeyId: string }
  secret: string
  /** Folder of the bucket; each object is a file in it. */
  folder: string
  kill(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Starts versitygw on a free port of an address; builds it with Go if the cache does not have it. */
export async function startBucket({ listen = '127.0.0.1' } = {}): Promise<Bucket> {
  const { stdout } = await promisify(execFile)(script, { timeout: 1_800_000 }).catch((error: Error) => {
    throw new Error(`There is no versitygw to test backups with: install Go. ${error.message}`)
  })
  const root = await mkdtemp(join(tmpdir(), 'svc-bucket-'))
  const folder = join(root, 'objects', BUCKET)
  await mkdir(folder, { recursive: true })
  await mkdir(join(root, 'attributes'))
  const port = await freePort()
  const accessKeyId = 'backup-test'
  const secret = 'backup-test-secret'
  const endpoint = `http://${listen}:${port}`
  let child: ChildProcess | undefined

  const start = async () => {
    const args = ['--port', `${listen}:${port}`, '--access', accessKeyId, '--secret', secret, '--quiet']
    const backend = ['posix', '--sidecar', join(root, 'attributes'), join(root, 'objects')]
    const started = spawn(stdout.trim(), [...args, ...backend], { stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let output = ''
    started.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    for (;;) {
      if (started.exitCode !== null) throw new Error(`versitygw did not start:\n${output}`)
      const answer = await fetch(endpoint).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer) return
      await sleep(50)
    }
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const over = once(child, 'exit')
    child.kill('SIGKILL')
    await over
  }
  await start()
  return {
    environment: {
      BACKUP_BUCKET: BUCKET,
      BACKUP_ENDPOINT: endpoint,
      BACKUP_ACCESS_KEY_ID: accessKeyId,
      BACKUP_SECRET_ACCESS_KEY: secret,
    },
    config: { bucket: BUCKET, region: 'us-east-1', endpoint, accessKeyId },
    secret,
    folder,
    kill,
    start,
    remove: async () => {
      await kill()
      await removeFolder(root)
    },
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificates.ts'
import { removeFolder } from './remove-folder.ts'

// A public address that is reachable only inside the network namespace of this file.
const ADDRESS = '93.184.216.34'
const HOST = 'agent.example'
const FOLDER = 'SVC_TEST_PUBLIC_WEB'

/** The address of the metadata document that `serveDocument` serves. */
export const DOCUMENT = `https://${HOST}/client.json`

/** The folder with key and certificate of a public web; undefined for a process outside of one. */
export const publicWeb = process.env[FOLDER]

/** The environment variables with which a process trusts the certificates of the public web. */
export const trustPublicWeb = (folder: string) => ({ NODE_EXTRA_CA_CERTS: join(folder, `${HOST}.crt`) })

/**
 * Runs a program in a network namespace that has one public address with a name, and no other network. Needs root.
 * Returns the exit code and the output.
 */
export async function runInPublicWeb(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-public-web-'))
  try {
    await makeCertificate(folder, HOST)
    const hosts = join(folder, 'hosts')
    await writeFile(hosts, `127.0.0.1 localhost\n${ADDRESS} ${HOST}\n`)
    const setUp = `ip link set lo up && ip address add ${ADDRESS}/32 dev lo && mount --bind ${hosts} /etc/hosts && exec "$@"`
    const child = spawn('unshare', ['--net', '--mount', 'sh', '-c', setUp, 'sh', process.execPath, ...args], {
      env: { ...process.env, [FOLDER]: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output }
  } finally {
    await removeFolder(folder)
  }
}

/** Serves a metadata document in the public web, and counts the requests for it. */
export async function serveDocument(folder: string, document: object): Promise<{ server: Server; reads(): number }> {
  const [key, cert] = await Promise.all(['key', 'crt'].map((end) => readFile(join(folder, `${HOST}.${end}`))))
  let reads = 0
  const server = createServer({ key, cert }, (_request, response) => {
    reads++
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }).listen(443, ADDRESS)
  await once(server, 'listening')
  return { server, reads: () => reads }
}

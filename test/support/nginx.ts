import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificates.ts'
import { debianPackage } from './debian-package.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'
import { removeFolder } from './remove-folder.ts'

const example = new URL('../../compose/nginx.conf', import.meta.url)

/** Seconds after which nginx closes a quiet connection, unless the example sets another value. */
export const QUIET_SECONDS = 1

/**
 * Debian's nginx with TLS before a platform with one port: configured as in compose/nginx.conf, and on a second port
 * with nginx's own defaults.
 */
export async function startNginx(platformPort: number) {
  const binary = join(await debianPackage('nginx'), 'usr/sbin/nginx')
  const folder = await mkdtemp(join(tmpdir(), 'svc-nginx-'))
  const certificate = await makeCertificate(folder, 'localhost')
  const [port, plainPort] = [await freePort(), await freePort()]
  const said = (await readFile(example, 'utf8'))
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('svc.example.net;', 'localhost;')
    .replaceAll('*.vaults.example.org;', '*.localhost;')
    .replaceAll(/ssl_certificate .*;/g, `ssl_certificate ${certificate.certFile};`)
    .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${certificate.keyFile};`)
    .replaceAll(/127\.0\.0\.1:73\d\d/g, `127.0.0.1:${platformPort}`)
  await writeFile(join(folder, 'example.conf'), said)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr warn;
events {}
http {
  access_log off; ${temporary.join(' ')}
  include ${folder}/example.conf;
  server {
    listen 127.0.0.1:${plainPort} ssl;
    ssl_certificate ${certificate.certFile};
    ssl_certificate_key ${certificate.keyFile};
    proxy_read_timeout ${QUIET_SECONDS}s;
    location / { proxy_pass http://127.0.0.1:${platformPort}; }
  }
}
`,
  )
  const child = spawn(binary, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port }, () => resolve(true))
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
    })
  await until('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${complaints}`)
    return accepts()
  })
  return {
    port,
    plainPort,
    certFile: certificate.certFile,
    stop: async () => {
      const ended = once(child, 'exit')
      if (child.kill('SIGTERM')) await ended
      await removeFolder(folder)
    },
  }
}

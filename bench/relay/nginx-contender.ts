import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { openEndpoint, type Contender } from './contender.ts'
import { findProgram, startProgram, untilListening } from './program.ts'

/**
 * nginx as a reverse proxy with one worker, unbuffered, with keep-alive connections; undefined where it is not
 * installed.
 */
export async function startNginx(targetPort: number, targetPid: number): Promise<Contender | undefined> {
  const nginx = findProgram('nginx')
  if (nginx === undefined) return undefined
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir};`)
  await writeFile(
    file,
    `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; ${temporary.join(' ')}
  upstream target { server 127.0.0.1:${targetPort}; keepalive 128; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 10000000;
    location / { proxy_pass http://target; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  )
  const pid = startProgram(nginx, ['-p', dir, '-c', file])
  await untilListening(port)
  return { name: 'nginx', endpoint: openEndpoint(port), processes: { nginx: pid, target: targetPid } }
}

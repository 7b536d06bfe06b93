import { expect, test } from 'vitest'
import { verifies } from '../requirements.ts'
import { openCluster } from '../support/cluster.ts'
import { OUTSIDE, outsidePod } from '../support/outside-pod.ts'
import { until } from '../support/until.ts'

const { client, images, evaluate } = openCluster()

/** Calls a daemon from inside its own container, as the published port of a container does. */
const ask = (pod: string, path: string, host: string) =>
  evaluate<{ status: number; text: string }>(
    `import { request } from 'node:http'
     request({ port: 7382, path: ${JSON.stringify(path)}, headers: { host: ${JSON.stringify(host)}, accept: '*/*, text/html' } }, (answer) => {
       let text = ''
       answer.on('data', (more) => (text += more)).on('end', () => console.log(JSON.stringify({ status: answer.statusCode, text })))
     }).on('error', ({ code }) => console.log(JSON.stringify({ status: 0, text: code }))).end()`,
    { pod, namespace: OUTSIDE },
  )

test('the image by itself is a self-hosted daemon that listens to its own loopback alone', async () => {
  verifies('daemon.image')
  const { ip, remove } = await outsidePod({ client, name: 'alone', image: images.first })
  await until('it answers', async () => (await ask('alone', '/api/vaults', 'localhost:7382')).status === 200)
  expect((await ask('alone', '/', 'localhost:7382')).text).toContain('<!doctype html>')
  await expect(fetch(`http://${ip}:7382/api/vaults`)).rejects.toThrow('fetch failed')
  await remove()
})

test('with three variables set it serves its published port, to the named hosts alone', async () => {
  const environment = { SVC_HOST: '0.0.0.0', SVC_ALLOW_NON_LOOPBACK: '1', SVC_ALLOWED_HOSTS: 'localhost' }
  const { ip, remove } = await outsidePod({ client, name: 'published', image: images.first, environment })
  await until('it answers', async () => (await ask('published', '/api/vaults', 'localhost:7382')).status === 200)
  const foreign = await fetch(`http://${ip}:7382/api/vaults`)
  expect(foreign.status).toBe(421)
  await remove()
})

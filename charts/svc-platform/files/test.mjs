// `helm test`: the platform responds, and the cluster admits a daemon of the allowed image and refuses any other. The
// requests to the cluster are dry runs: nothing is created.
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { get } from 'node:http'

const { SERVICE, INTERNAL, OPERATOR, DAEMONS, IMAGE, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env
let failures = 0

/** Reports one check; `found` may be a promise. */
async function check(what, found, isRight) {
  const value = await found.catch((error) => error.message)
  const right = isRight(value)
  console.log(`${right ? 'ok    ' : 'FAILED'} ${what}${right ? '' : `: ${JSON.stringify(value)}`}`)
  if (!right) failures += 1
}

const status = (url) =>
  new Promise((resolve, reject) => {
    const sent = get(url, { timeout: 10_000 }, (response) => resolve(response.resume().statusCode))
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no response in 10 s')))
  })

function dryRun(image) {
  const account = '/var/run/secrets/kubernetes.io/serviceaccount'
  const id = 'a'.repeat(24)
  const body = JSON.stringify({
    apiVersion: 'svcd.dev/v1alpha1',
    kind: 'ManagedDaemon',
    metadata: { name: `org-${id}`, namespace: DAEMONS, labels: { 'svcd.dev/org-id': `org_${id}` } },
    spec: {
      orgId: `org_${id}`,
      orgSlug: 'helm-test',
      image,
      desiredState: 'sleeping',
      relay: { url: `http://${SERVICE}:7391/t/org_${id}`, keyGeneration: 1, acceptedGeneration: 0 },
      storage: { size: '64Mi' },
      resources: { cpu: '100m', memory: '128Mi' },
      paused: false,
      deletionPolicy: 'retain',
    },
  })
  const options = {
    host: KUBERNETES_SERVICE_HOST,
    port: KUBERNETES_SERVICE_PORT,
    path: `/apis/svcd.dev/v1alpha1/namespaces/${DAEMONS}/manageddaemons?dryRun=All`,
    method: 'POST',
    ca: readFileSync(`${account}/ca.crt`),
    timeout: 10_000,
    headers: {
      authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`,
      'content-type': 'application/json',
    },
  }
  return new Promise((resolve, reject) => {
    const sent = request(options, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, message: JSON.parse(text).message })
    })
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('no response in 10 s')))
    sent.end(body)
  })
}

await check('the API answers', status(`http://${SERVICE}:7380/api/health`), (code) => code === 200)
await check('the vault gateway refuses an unknown host', status(`http://${SERVICE}:7390/`), (code) => code === 421)
await check(
  'dial-in refuses a call without a key',
  status(`http://${SERVICE}:7391/t/org_${'a'.repeat(24)}`),
  (code) => code >= 400 && code < 500,
)
await check('a control plane is ready', status(`http://${INTERNAL}:7392/ready`), (code) => code === 200)
if (OPERATOR) {
  await check('an operator is ready', status(`http://${OPERATOR}:7390/ready`), (code) => code === 200)
  await check('a daemon of the allowed image is taken', dryRun(IMAGE), (answer) => answer.status === 201)
  const foreign = `registry.invalid/svcd@sha256:${'a'.repeat(64)}`
  await check(
    'a daemon of another image is refused',
    dryRun(foreign),
    (answer) => answer.status === 403 || answer.status === 422,
  )
}
process.exit(failures === 0 ? 0 : 1)

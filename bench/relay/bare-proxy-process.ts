// The minimal cost of a reverse proxy in Node: http.request over a keep-alive agent, without checks.
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent, partOptions } from '../part.ts'

const { targetPort: port } = partOptions<{ targetPort: number }>()
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const server = createServer((req, res) => {
  const asked = request(
    { agent, port, host: '127.0.0.1', method: req.method, path: req.url, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    },
  )
  req.pipe(asked)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const answers = { port: () => (server.address() as AddressInfo).port }
export type BareProxyAnswers = typeof answers
answerParent(answers, async () => {})

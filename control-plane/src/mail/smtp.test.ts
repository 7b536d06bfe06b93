import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '@svc/shared/kit/log.ts'
import { Secret } from '@svc/shared/kit/secret.ts'
import { MailRefused } from './mail.ts'
import { renderMail } from './render-mail.ts'
import { smtpSender } from './smtp.ts'

/** A mail server that falls silent after its greeting, or before it. */
const start = async (greeting: string, limits: string) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume())
    socket.write(greeting)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new Secret(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}?${limits}`)
  const sender = smtpSender({ url, from: 'svc@example.org', log: createLog({ service: 'test', level: 'silent' }) })
  onTestFinished(() => {
    sender.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return sender
}
const letter = renderMail({ template: 'reset-password', to: 'ada@example.org', link: 'https://svc.example.org/x' })

test('a mail is not repeated when the server falls silent: it may have taken the mail', async () => {
  const sender = await start('220 test\r\n', 'socketTimeout=50')
  await expect(sender.send(letter)).rejects.toBeInstanceOf(MailRefused)
})

test('a mail may be repeated when the server never greets', async () => {
  const sender = await start('', 'greetingTimeout=50')
  await expect(sender.send(letter)).rejects.not.toBeInstanceOf(MailRefused)
})

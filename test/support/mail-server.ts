import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { untilMailed, type Mailbox } from './mailbox.ts'

/** A mail server that accepts and keeps every mail, unless it is told otherwise. */
export type MailServer = {
  url: string
  mailbox: Mailbox
  /** Every mail as it was sent: the commands of its envelope, then its lines. */
  received: { envelope: string[]; lines: string[] }[]
  /** Refuses the next mail to this address with a line of SMTP, for example `451 busy`. */
  refuseOnce(address: string, line: string): void
  /** From now on, connections get no greeting. */
  fallSilent(): void
  /** How many connections without a greeting have ended. */
  ended(): number
  close(): void
}

/** Starts it on a free port of this machine. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Received[] = []
  const refusals = new Map<string, string>()
  const sockets = new Set<Socket>()
  let silent = false
  let ended = 0
  const answerTo = (address: string): string => {
    const refusal = refusals.get(address)
    refusals.delete(address)
    return refusal ?? '250 ok'
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (!silent) return receive(socket, { keep: (mail) => mails.push(mail), answerTo })
    socket.on('error', () => {}).resume()
    socket.once('close', () => (ended += 1))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mailbox: (address) => untilMailed(address, async () => mails.findLast(({ to }) => to === address)),
    received: mails,
    refuseOnce: (address, line) => void refusals.set(address, line),
    fallSilent: () => void (silent = true),
    ended: () => ended,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Keeper = {
  keep(mail: Received): void
  /** The response to a recipient. */
  answerTo(address: string): string
}
type Received = { to: string; link: string; envelope: string[]; lines: string[] }

/** One connection: the part of RFC 5321 that is needed to receive a mail. */
function receive(socket: Socket, { keep, answerTo }: Keeper): void {
  const say = (text: string) => void socket.write(`${text}\r\n`)
  let rest = ''
  let to = ''
  let envelope: string[] = []
  let body: string[] | undefined
  const take = (line: string) => {
    if (body !== undefined) {
      if (line !== '.') return void body.push(line)
      const text = body.join('\n').replace(/=\n/g, '').replaceAll('=3D', '=')
      keep({ to, link: /https?:\/\/\S+/.exec(text)?.[0] ?? '', envelope, lines: body })
      body = undefined
      envelope = []
      return say('250 kept')
    }
    const command = line.slice(0, 4).toUpperCase()
    if (command === 'MAIL' || command === 'RCPT') envelope.push(line)
    if (command === 'RCPT') to = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (command === 'DATA') {
      body = []
      return say('354 go on')
    }
    if (command === 'RCPT') return say(answerTo(to))
    say(command === 'QUIT' ? '221 bye' : '250 ok')
    if (command === 'QUIT') socket.end()
  }
  socket.setEncoding('utf8').on('error', () => socket.destroy())
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  say('220 test')
}

import { systemClock } from '@svc/shared/kit/clock.ts'
import type { Cluster, Hosted } from './cluster.ts'
import type { Answer, Person } from './person.ts'

const vault = '/api/vaults/demo-vault'
const LOG = `${vault}/notes/Log.md`
const AGAIN_MS = 300

export type Member = { person: Person; org: Hosted }

/** The operations of one organization, and what each should have changed once all are done. */
export type OrganizationWork = {
  member: Member
  image: string
  sizeMebibytes: number
  /** Rolls and rotations that succeeded: each makes one key. */
  keys: number
  succeeded: string[]
  failed: string[]
  /** Notes whose creation was acknowledged, with their text. */
  notes: Map<string, string>
  /** Lines whose addition to the log was acknowledged, in order. */
  lines: string[]
  broken: string[]
}

type Options = {
  cluster: Cluster
  admin: Person
  images: string[]
  random: () => number
  run: string
}

/** Responses that do not tell whether the request took effect. Such a request is sent again. */
const isUndecided = ({ status, body }: Answer) =>
  status === 0 || status >= 500 || status === 409 || status === 429 || body?.error?.code === 'operation_retryable'
const nothing = (error: Error): Answer => ({ status: 0, headers: {}, body: undefined, text: error.message })

/** Organizations that write, roll, rotate and grow without a pause, on a platform that fails at any moment. */
export function startWork(members: Member[], { cluster, admin, images, random, run }: Options) {
  const stopped = new AbortController()
  const flying = new Set<string>()
  let operations = 0

  /** Sends one operation until it is decided; the same id returns the same outcome. */
  const decide = async (send: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await send().catch(nothing)
      if (answer.status === 401 || answer.status === 403) await admin.signIn().catch(nothing)
      else if (!isUndecided(answer) || answer.body?.error?.code === 'operation_failed') return answer
      await systemClock.sleep(AGAIN_MS)
    }
  }

  const operate = async (work: OrganizationWork): Promise<void> => {
    const { id, slug } = work.member.org
    const daemon = `/api/admin/managed-daemons/${id}`
    while (!stopped.signal.aborted) {
      const operationId = `kills-${run}-${(operations += 1)}`
      const common = { operationId, reason: 'the journey of kills' }
      const drawn = random()
      const image = images[work.image === images[0] ? 1 : 0]!
      const size = work.sizeMebibytes + 16
      flying.add(operationId)
      const answer = await decide(() => {
        if (drawn < 0.45) return admin.post(`${daemon}/image`, { ...common, image, confirmation: id })
        if (drawn < 0.85) return admin.post(`${daemon}/key/rotate`, { ...common, confirmation: slug })
        return admin.post(`${daemon}/storage/grow`, { ...common, confirmation: slug, size: `${size}Mi` })
      })
      flying.delete(operationId)
      if (answer.status !== 200) {
        work.failed.push(`${operationId}: ${answer.status} ${answer.text.slice(0, 300)}`)
        continue
      }
      work.succeeded.push(operationId)
      if (drawn < 0.45) work.image = image
      if (drawn < 0.85) work.keys += 1
      else work.sizeMebibytes = size
    }
  }

  const write = async (work: OrganizationWork): Promise<void> => {
    const { person, org } = work.member
    let browser = await cluster.enter(person, org)
    for (let i = 0; !stopped.signal.aborted; i += 1) {
      const at = `${vault}/notes/Note-${i}.md`
      const content = `${org.title} ${run} ${i}\n`
      const answer = await browser
        .send('PUT', at, { body: { content }, headers: { 'if-none-match': '*' } })
        .catch(nothing)
      // Without a response the outcome is unknown, so nothing is expected.
      if (answer.status === 201) work.notes.set(at, content)
      else if (answer.status === 401 || answer.status === 403)
        browser = await cluster.enter(person, org).catch(() => browser)
      await append(work, browser, `${run}-${i}`)
      await systemClock.sleep(AGAIN_MS, stopped.signal).catch(() => {})
    }
  }

  /** Adds a line to the log; without a response, the note itself shows whether it was added. */
  const append = async ({ lines }: OrganizationWork, browser: Person, line: string): Promise<void> => {
    for (let attempt = 0; attempt < 40 && !stopped.signal.aborted; attempt += 1) {
      const found = await browser.get(LOG).catch(nothing)
      const content: string | undefined = found.body?.note?.content
      if (content?.includes(`${line}\n`)) return void lines.push(line)
      const condition: Record<string, string> =
        found.status === 200 ? { 'if-match': `"${found.body.note.baseline}"` } : { 'if-none-match': '*' }
      if (found.status === 200 || found.status === 404) {
        const body = { content: `${content ?? ''}${line}\n` }
        const answer = await browser.send('PUT', LOG, { body, headers: condition }).catch(nothing)
        if (answer.status === 200 || answer.status === 201) return void lines.push(line)
      }
      await systemClock.sleep(AGAIN_MS)
    }
  }

  const works = members.map((member): OrganizationWork => {
    const base = { member, image: images[0]!, sizeMebibytes: 64, keys: 0 }
    return { ...base, succeeded: [], failed: [], notes: new Map(), lines: [], broken: [] }
  })
  const ended = works.flatMap((work) =>
    [operate, write].map((part) => part(work).catch((error: Error) => void work.broken.push(String(error.stack)))),
  )

  return {
    works,
    inFlight: () => flying.size,
    flying: () => [...flying],
    /** Starts nothing new; resolves when everything that was started is decided. */
    stop: async (): Promise<void> => {
      stopped.abort()
      await Promise.all(ended)
    },
  }
}

/** Reads an organization's vault back and names what differs from what was acknowledged. */
export async function findDifferences(cluster: Cluster, { member, notes, lines }: OrganizationWork): Promise<string[]> {
  const browser = await cluster.enter(member.person, member.org)
  const different: string[] = []
  for (const [path, wanted] of notes) {
    const answer = await browser.get(path)
    if (answer.body?.note?.content !== wanted) different.push(`${path}: ${answer.status} ${answer.text.slice(0, 100)}`)
  }
  const log: string = (await browser.get(LOG)).body?.note?.content ?? ''
  const kept = log.split('\n').slice(0, -1)
  for (const line of lines) {
    const times = kept.filter((one) => one === line).length
    if (times !== 1) different.push(`line ${line}: ${times} times`)
  }
  return different
}

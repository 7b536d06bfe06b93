// The attacks of a hostile page. The daemon serves this file to Chromium, with its types removed, as the script of its
// page. Each attack returns what it could read. An attack that reads nothing throws, or returns the little that it saw.

/** What to attack: addresses of one other origin. */
export type Target = {
  /** An address to read. */
  text: string
  script: string
  style: string
  picture: string
  events: string
  socket: string
  /** An address where POST changes what is stored. */
  change: string
  /** An address where PUT, PATCH or DELETE change something. */
  replace: string
  body: string
}

declare global {
  var attackNames: string[]
  /** Runs an attack and returns what it got, as text that begins with `got` or `failed`. */
  var attack: (name: string, target: Target) => Promise<string>
  /** Ends the wait of the running attack for its result. */
  var giveUp: () => void
  var leaked: string | undefined
}

/** Aborted when the running attack must not wait for its result any longer. */
let waiting = new AbortController()
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function awaited<T>(work: Promise<T>): Promise<T> {
  const { signal } = waiting
  const over = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  return Promise.race([work, over])
}

/** Resolves with `load`, rejects with `error`. */
function loaded(element: HTMLElement): Promise<HTMLElement> {
  const done = new Promise<HTMLElement>((resolve, reject) => {
    element.addEventListener('load', () => resolve(element))
    element.addEventListener('error', () => reject(new Error('did not load')))
  })
  document.body.append(element)
  return awaited(done)
}

const make = <K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string>) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/** The text of another window as soon as it can be read; throws when it is certain that it cannot. */
async function textOf(other: Window | null): Promise<string> {
  const { signal } = waiting
  while (!signal.aborted) {
    if (other === null || other.closed) throw new Error('the window is out of reach')
    const text = other.document.body?.innerText ?? ''
    if (text !== '' && other.location.href !== 'about:blank') return text
    await sleep(50)
  }
  throw new Error('the window stayed empty')
}

/** Posts a form and reads the window or frame that it was sent to. */
async function post({ change, body }: Target, enctype: string, into: 'window' | 'frame'): Promise<string> {
  const name = `form-${Math.random()}`
  const frame = make('iframe', { name })
  const opened = into === 'window' ? open('about:blank', name) : null
  if (into === 'frame') document.body.append(frame)
  const form = make('form', { method: 'post', action: change, enctype, target: name })
  // As text/plain, the field's name and value together are JSON.
  const [key, value] = enctype === 'text/plain' ? [`${body.slice(0, -1)},"x":"`, '"}'] : ['assertion', body]
  const field = make('input', { type: 'hidden' })
  field.name = key
  field.value = value
  form.append(field)
  document.body.append(form)
  form.submit()
  try {
    return await textOf(into === 'window' ? opened : frame.contentWindow)
  } finally {
    opened?.close()
  }
}

async function readWindow(address: string): Promise<string> {
  const opened = open(address, '_blank')
  try {
    return await textOf(opened)
  } finally {
    opened?.close()
  }
}

const credentials = 'include'
const json = { 'content-type': 'application/json' }

const attacks: Record<string, (target: Target) => Promise<unknown>> = {
  'fetch to read': async ({ text }) => (await fetch(text, { credentials })).text(),
  'fetch without CORS': async ({ text }) => {
    const answer = await fetch(text, { credentials, mode: 'no-cors' })
    return `${answer.type} ${await answer.text()}`
  },
  'fetch with a header of its own': async ({ text }) =>
    (await fetch(text, { credentials, headers: { 'x-svc-assertion': 'forged' } })).text(),
  XMLHttpRequest: ({ text }) => {
    const request = new XMLHttpRequest()
    request.open('GET', text)
    request.withCredentials = true
    request.send()
    return awaited(
      new Promise((resolve, reject) => {
        request.addEventListener('load', () => resolve(request.responseText))
        request.addEventListener('error', () => reject(new Error('did not load')))
      }),
    )
  },
  'fetch to change, as JSON': async ({ change, body }) =>
    (await fetch(change, { method: 'POST', credentials, headers: json, body })).text(),
  'fetch to change, as a simple request': async ({ change, body }) => {
    const answer = await fetch(change, { method: 'POST', credentials, mode: 'no-cors', body })
    return `${answer.type} ${await answer.text()}`
  },
  'fetch to change, that outlives the page': async ({ change, body }) => {
    const answer = await fetch(change, { method: 'POST', credentials, mode: 'no-cors', body, keepalive: true })
    return `${answer.type} ${await answer.text()}`
  },
  'fetch with PUT': async ({ replace, body }) =>
    (await fetch(replace, { method: 'PUT', credentials, headers: json, body })).text(),
  'fetch with PATCH': async ({ replace, body }) =>
    (await fetch(replace, { method: 'PATCH', credentials, headers: json, body })).text(),
  'fetch with DELETE': async ({ replace }) => (await fetch(replace, { method: 'DELETE', credentials })).text(),
  sendBeacon: async ({ change, body }) => `sent: ${navigator.sendBeacon(change, body)}`,
  'sendBeacon of JSON': async ({ change, body }) =>
    `sent: ${navigator.sendBeacon(change, new Blob([body], { type: 'application/json' }))}`,
  'a form in a frame': (target) => post(target, 'application/x-www-form-urlencoded', 'frame'),
  'a form in a window': (target) => post(target, 'application/x-www-form-urlencoded', 'window'),
  'a form of several parts in a window': (target) => post(target, 'multipart/form-data', 'window'),
  'a form that looks like JSON in a window': (target) => post(target, 'text/plain', 'window'),
  'a window': ({ text }) => readWindow(text),
  'a window on what changes something': ({ change }) => readWindow(change),
  'a frame': async ({ text }) => {
    const frame = make('iframe', { src: text })
    document.body.append(frame)
    return textOf(frame.contentWindow)
  },
  'an object': async ({ text }) => {
    const element = (await loaded(make('object', { data: text, type: 'text/html' }))) as HTMLObjectElement
    return element.contentDocument?.body.innerText
  },
  'an image': async ({ picture }) => {
    const image = (await loaded(make('img', { src: picture }))) as HTMLImageElement
    return `${image.naturalWidth} by ${image.naturalHeight}`
  },
  'a script': async ({ script }) => {
    await loaded(make('script', { src: script }))
    return leaked
  },
  'a module': ({ script }) => import(script).then(() => leaked),
  'a stylesheet': async ({ style }) => {
    await loaded(make('link', { rel: 'stylesheet', href: style }))
    return getComputedStyle(document.documentElement).getPropertyValue('--leaked')
  },
  'a worker': ({ script }) =>
    awaited(
      new Promise((resolve, reject) => {
        const worker = new Worker(script)
        worker.addEventListener('message', ({ data }) => resolve(data))
        worker.addEventListener('error', () => reject(new Error('did not start')))
      }),
    ),
  'an event stream': ({ events }) => {
    const source = new EventSource(events, { withCredentials: true })
    const first = new Promise((resolve, reject) => {
      source.addEventListener('message', ({ data }) => resolve(data))
      source.addEventListener('error', () => reject(new Error('did not open')))
    })
    return awaited(first).finally(() => source.close())
  },
  'a WebSocket': ({ socket }) => {
    const opened = new WebSocket(socket)
    const first = new Promise((resolve, reject) => {
      opened.addEventListener('message', ({ data }) => resolve(data))
      opened.addEventListener('error', () => reject(new Error('did not open')))
    })
    return awaited(first).finally(() => opened.close())
  },
  'the cache of scripts': async ({ text }) => {
    const cache = await caches.open('stolen')
    await cache.add(new Request(text, { credentials, mode: 'no-cors' }))
    return (await cache.match(text))?.text()
  },
  'the size of an answer': async ({ text }) => {
    performance.clearResourceTimings()
    await fetch(text, { credentials, mode: 'no-cors' })
      .then((answer) => answer.text())
      .catch(() => {})
    const [entry] = performance.getEntriesByName(text) as PerformanceResourceTiming[]
    if (entry === undefined || entry.encodedBodySize === 0) throw new Error('nothing was measured')
    return `${entry.encodedBodySize} bytes`
  },
}

globalThis.attackNames = Object.keys(attacks)
globalThis.giveUp = () => waiting.abort(new Error('nothing came'))
globalThis.attack = async (name, target) => {
  globalThis.leaked = undefined
  waiting = new AbortController()
  try {
    return `got: ${String(await attacks[name]!(target))}`
  } catch (error) {
    return `failed: ${String(error)}`
  }
}

import type { PersonHere, PERSON_PATH } from '@svc/shared/wire/person.api.ts'
import type { Theme } from '@svc/shared/wire/themes.ts'
import { readAnswer } from './read-answer.ts'

type Call = <T>(
  url: string,
  options: { method?: string; body?: unknown; redirect?: 'manual'; signal?: AbortSignal | undefined },
  read?: (response: Response) => Promise<T>,
) => Promise<T>

const PERSON = '/_svc/person' satisfies typeof PERSON_PATH

/** The calls about the visit: who the visitor is, whether the visit goes on, and how to end it. */
export const personCalls = (call: Call) => ({
  readPerson: (signal?: AbortSignal) => call<PersonHere>(PERSON, { signal }),

  chooseTheme: (theme: Theme): Promise<void> =>
    call<unknown>(PERSON, { method: 'PATCH', body: { theme } }).then(() => undefined),

  /** Asks whether the daemon can be reached, without waking it; the outcome updates the connection state. */
  probe: (): Promise<void> =>
    call<void>(PERSON, { method: 'HEAD' }, async (response) => {
      if (!response.ok) await readAnswer(response)
    }),

  /** Ends the entry. The response would redirect a browser; here the caller navigates. */
  leave: (path: string): Promise<void> =>
    call<void>(path, { method: 'POST', redirect: 'manual' }, (response) =>
      response.type === 'opaqueredirect' ? Promise.resolve() : readAnswer<never>(response),
    ),
})

import type { Actor } from './actor.ts'

/**
 * The author of a revision. `outside` is an editor or tool that wrote the file itself. `person` is the person an agent
 * acted for, `integration` the name under which their organization approved that agent, and `registration` its id at
 * the control plane.
 */
export type Author = {
  id: string
  name: string
  person?: { id: string; name: string } | undefined
  integration?: string | undefined
  registration?: string | undefined
}

/** The author of a line and the time, if it was not written by the author of the whole change. */
export type LineAuthor = Author & { atMs?: number | undefined }

export type AuthorKind = 'person' | 'mcp_client' | 'local' | 'system' | 'outside'

/** Author of changes found on disk without a known writer. */
export const outsideAuthor: Author = { id: 'outside', name: 'Outside edit' }

/** The author of a change made through the daemon. */
export function authorOf(actor: Actor): Author {
  switch (actor.kind) {
    case 'person':
      return { id: actor.id, name: actor.name }
    case 'mcp_client':
      return {
        id: 'mcp_client',
        name: actor.client,
        ...(actor.person && { person: actor.person }),
        ...(actor.integration !== undefined && { integration: actor.integration }),
        ...(actor.registration !== undefined && { registration: actor.registration }),
      }
    case 'system':
      return { id: 'system', name: actor.name }
    case 'local':
      return { id: 'local', name: 'Local' }
  }
}

const KINDS: readonly string[] = ['mcp_client', 'local', 'system', 'outside'] satisfies AuthorKind[]

/** The kind of an author. An id that is not the name of a kind is that of a person. */
const kindOfAuthor = ({ id }: Author): AuthorKind => (KINDS.includes(id) ? (id as AuthorKind) : 'person')

/**
 * True for the same author. Agents share an id and differ in the name of their client and the person whom they act for.
 */
export const sameAuthor = (a: Author, b: Author): boolean =>
  a.id === b.id && (a.id !== 'mcp_client' || (a.name === b.name && a.person?.id === b.person?.id))

/** True for the same author who was also admitted as the same program: changes of both count as one agent's. */
export const sameProgram = (a: Author, b: Author): boolean =>
  sameAuthor(a, b) && a.integration === b.integration && a.registration === b.registration

/** An author in the form of the API. */
export const authorView = ({ id, name, person }: Author) => ({
  kind: kindOfAuthor({ id, name }),
  id,
  name,
  ...(person && { person }),
})

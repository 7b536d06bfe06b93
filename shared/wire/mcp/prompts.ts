import { RpcFailure, rpcCodes } from './rpc-failure.ts'

type Argument = { name: string; description: string; required: boolean }
type Prompt = {
  name: string
  title: string
  description: string
  arguments: Argument[]
  /** The request to the model. Arguments come as JSON text, so that they cannot be read as part of the request. */
  ask(quoted: Quoted): string
}
/** `place` names the vault. */
type Quoted = Readonly<Record<string, string>> & { place: string }

const organization: Argument = { name: 'org', description: 'Organization, from list_orgs', required: true }
const vault: Argument = { name: 'vaultId', description: 'Short name of the vault', required: true }
const note: Argument = { name: 'path', description: 'Path of the note in the vault', required: true }
const MAX_ARGUMENT = 4096

const prompts: readonly Prompt[] = [
  {
    name: 'summarize_note',
    title: 'Summarize a note',
    description: 'A short summary of one note, with its open questions.',
    arguments: [vault, note],
    ask: ({ place, path }) =>
      `Read the note ${path} of ${place} with read_note. Summarize it in five sentences, then list its open questions and tasks with their lines. Change nothing.`,
  },
  {
    name: 'answer_from_notes',
    title: 'Answer from the notes',
    description: 'An answer that names the notes it rests on.',
    arguments: [vault, { name: 'question', description: 'What you want to know', required: true }],
    ask: ({ place, question }) =>
      `Answer this question from ${place} alone: ${question}. Use search_notes with a few different words, read the best notes with read_note, and name path and line for each statement. Say so when the notes do not answer it. Change nothing.`,
  },
  {
    name: 'tidy_note',
    title: 'Tidy a note',
    description: 'Repairs headings, links and typos of one note, and keeps its words.',
    arguments: [vault, note],
    ask: ({ place, path }) =>
      `Read the note ${path} of ${place} with read_note and its links with list_links. Repair heading levels, broken links and typos with edit_note, in small edits with the baseline you read; keep the wording. List what you changed.`,
  },
  {
    name: 'weekly_review',
    title: 'Review a week',
    description: 'What changed in a vault in the last seven days.',
    arguments: [vault],
    ask: ({ place }) =>
      `List the notes of ${place} with list_notes, choose those whose modifiedAt lies in the last seven days, and look at what changed with note_history. Write a review: what moved on, what is open, what contradicts itself. Change nothing.`,
  },
]

/** `org` if every vault is in an organization that has to be named too. */
type Scope = 'vault' | 'org'

const argumentsOf = (prompt: Prompt, scope: Scope): Argument[] =>
  scope === 'org' ? [organization, ...prompt.arguments] : prompt.arguments

/** The prompts as they are listed. */
export const listPrompts = (scope: Scope) =>
  prompts.map(({ ask: _ask, ...listed }, index) => ({ ...listed, arguments: argumentsOf(prompts[index]!, scope) }))

type Wanted = { name: string; given?: Readonly<Record<string, string>> | undefined; scope: Scope }

/** The message of a prompt; fails for an unknown name or a missing argument. Pure. */
export function getPrompt({ name, given = {}, scope }: Wanted) {
  const prompt = prompts.find((each) => each.name === name)
  if (!prompt) throw new RpcFailure(rpcCodes.invalidParams, `Unknown prompt: ${name.slice(0, 100)}`)
  const quoted: Record<string, string> = {}
  for (const argument of argumentsOf(prompt, scope)) {
    const value = given[argument.name] ?? ''
    if (value === '' || value.length > MAX_ARGUMENT)
      throw new RpcFailure(rpcCodes.invalidParams, `The argument ${argument.name} is missing or too long`)
    quoted[argument.name] = JSON.stringify(value)
  }
  const { vaultId, org } = quoted
  const place = scope === 'org' ? `the vault ${vaultId} of the organization ${org}` : `the vault ${vaultId}`
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.ask({ ...quoted, place }) } }],
  }
}

import { RpcFailure, rpcCodes } from './rpc-failure.ts'

type Argument = { name: string; description: string; required: boolean }
type Prompt = {
  name: string
  title: string
  description: string
  arguments: Argument[]
  /** What the client is asked to do; arguments come as JSON text, so that they cannot be read as part of the request. */
  ask(quoted: Readonly<Record<string, string>>): string
}

const vault: Argument = { name: 'vaultId', description: 'Short name of the vault', required: true }
const note: Argument = { name: 'path', description: 'Path of the note in the vault', required: true }
const MAX_ARGUMENT = 4096

const prompts: readonly Prompt[] = [
  {
    name: 'summarize_note',
    title: 'Summarize a note',
    description: 'A short summary of one note, with its open questions.',
    arguments: [vault, note],
    ask: ({ vaultId, path }) =>
      `Read the note ${path} of the vault ${vaultId} with read_note. Summarize it in five sentences, then list its open questions and tasks with their lines. Change nothing.`,
  },
  {
    name: 'answer_from_notes',
    title: 'Answer from the notes',
    description: 'An answer that names the notes it rests on.',
    arguments: [vault, { name: 'question', description: 'What you want to know', required: true }],
    ask: ({ vaultId, question }) =>
      `Answer this question from the vault ${vaultId} alone: ${question}. Use search_notes with a few different words, read the best notes with read_note, and name path and line for each statement. Say so when the notes do not answer it. Change nothing.`,
  },
  {
    name: 'tidy_note',
    title: 'Tidy a note',
    description: 'Repairs headings, links and typos of one note, and keeps its words.',
    arguments: [vault, note],
    ask: ({ vaultId, path }) =>
      `Read the note ${path} of the vault ${vaultId} with read_note and its links with list_links. Repair heading levels, broken links and typos with edit_note, in small edits with the baseline you read; keep the wording. List what you changed.`,
  },
  {
    name: 'weekly_review',
    title: 'Review a week',
    description: 'What changed in a vault in the last seven days.',
    arguments: [vault],
    ask: ({ vaultId }) =>
      `List the notes of the vault ${vaultId} with list_notes, choose those whose modifiedAt lies in the last seven days, and look at what changed with note_history. Write a review: what moved on, what is open, what contradicts itself. Change nothing.`,
  },
]

/** The prompts as they are listed. */
export const listedPrompts = prompts.map(({ ask: _ask, ...listed }) => listed)

/** The message of a prompt; fails for an unknown name or a missing argument. Pure. */
export function getPrompt(name: string, given: Readonly<Record<string, string>> = {}) {
  const prompt = prompts.find((each) => each.name === name)
  if (!prompt) throw new RpcFailure(rpcCodes.invalidParams, `Unknown prompt: ${name.slice(0, 100)}`)
  const quoted: Record<string, string> = {}
  for (const argument of prompt.arguments) {
    const value = given[argument.name] ?? ''
    if (value === '' || value.length > MAX_ARGUMENT)
      throw new RpcFailure(rpcCodes.invalidParams, `The argument ${argument.name} is missing or too long`)
    quoted[argument.name] = JSON.stringify(value)
  }
  const text = prompt.ask(quoted)
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}

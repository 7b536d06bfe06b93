import { z } from 'zod'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import type { Actor } from '../entry/actor.ts'
import { forgiveArguments } from './forgive-arguments.ts'

type Annotations = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }

/** A tool as an MCP client lists it. */
export type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object' }
  outputSchema: { type: 'object' }
  annotations: Annotations
}

/** A tool of the daemon: how it is listed, and what it does with arguments that nobody has checked yet. */
export type Tool = {
  listed: ListedTool
  /** What `call` checks arguments with. */
  input: z.ZodObject
  call(args: unknown, by: Actor): Promise<Record<string, unknown>>
}

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string
  title: string
  /** For the reader who acts on it: the rule that matters comes first. */
  description: string
  effect: 'reads' | 'adds' | 'changes' | 'removes'
  input: Input
  /** What success answers. Listed without required fields, since failures are structured too. */
  output: Output
  run(input: z.output<Input>, by: Actor): Promise<z.output<Output>>
}

/** Makes a tool: checks its arguments, and lists it in as few words as clients need. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, effect, input, output, run } = definition
  return {
    listed: {
      name,
      title,
      description,
      inputSchema: compact(z.toJSONSchema(input, { io: 'input' })),
      outputSchema: compact(z.toJSONSchema(output.partial(), { io: 'input' })),
      annotations: {
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'changes' || effect === 'removes',
        idempotentHint: effect === 'reads',
        openWorldHint: false,
      },
    },
    input,
    call: async (args, by) => run(parseOrFail(input, forgiveArguments(args)), by),
  }
}

// Every client pays for each word of a listing in every conversation.
const DROPPED = new Set([
  '$schema',
  'additionalProperties',
  'minLength',
  'maximum',
  'exclusiveMinimum',
  'propertyNames',
])

function compact(schema: unknown): { type: 'object' } {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (DROPPED.has(key) ? undefined : value))) as {
    type: 'object'
  }
}

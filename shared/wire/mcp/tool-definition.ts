import { z } from 'zod'

/** `reads` changes nothing; `adds` never replaces anything; `changes` and `removes` may. */
export type ToolEffect = 'reads' | 'adds' | 'changes' | 'removes'

/** Name, input and output of a tool. The daemon implements it. */
export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string
  title: string
  /** Written for the model that acts on it: the rule that matters comes first. */
  description: string
  effect: ToolEffect
  /** True where the same call again leads to the same state. */
  idempotent: boolean
  input: Input
  /** The result of a success. Listed without required fields, because failures are structured too. */
  output: Output
}

type Annotations = { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
type ObjectSchema = { type: 'object'; [key: string]: unknown }

/** A tool as an MCP client lists it. */
export type ListedTool = {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  annotations: Annotations
}

/** Keeps the types of input and output in a definition. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> => definition

/** A tool in a listing, in as few words as clients need. To add a parameter, extend `input` of the definition first. */
export function listTool({ name, title, description, effect, idempotent, input, output }: ToolDefinition): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: compact(z.toJSONSchema(input, { io: 'input' })),
    outputSchema: compact(z.toJSONSchema(output.partial(), { io: 'input' })),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'changes' || effect === 'removes',
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  }
}

// Every client pays for each word of a listing in every conversation; arguments are checked in any case.
const DROPPED = new Set([
  '$schema',
  'additionalProperties',
  'minLength',
  'maximum',
  'maxLength',
  'pattern',
  'exclusiveMinimum',
  'propertyNames',
])

function compact(schema: unknown): ObjectSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      DROPPED.has(key) || (key === 'default' && value === false) || (key === 'minimum' && Number(value) < 0)
        ? undefined
        : value,
    ),
  ) as ObjectSchema
}

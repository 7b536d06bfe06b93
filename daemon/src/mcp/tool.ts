import type { z } from 'zod'
import type { ToolContent } from '@svc/shared/wire/mcp/agent-call.api.ts'
import type { ToolDefinition } from '@svc/shared/wire/mcp/tool-definition.ts'
import { parseOrFail } from '@svc/shared/wire/error-body.ts'
import { fail } from '@svc/shared/wire/errors.ts'
import { forgiveArguments } from './forgive-arguments.ts'
import { refuseUnlessAllowed, type ToolCaller } from './tool-caller.ts'

/** The result of a tool. `content` is for the model, where the structured result is not enough. */
export type ToolAnswer = { result: Record<string, unknown>; content: ToolContent[] }

/** A tool of the daemon: its definition, and its implementation, which validates the arguments itself. */
export type Tool = {
  definition: ToolDefinition
  call(args: unknown, caller: ToolCaller): Promise<ToolAnswer>
}

type Run<Input extends z.ZodObject, Output extends z.ZodObject> = (
  input: z.output<Input>,
  caller: ToolCaller,
) => Promise<z.output<Output> | WithContent<z.output<Output>>>

/** A result with its own content. */
class WithContent<Result> {
  readonly result: Result
  readonly content: ToolContent[]
  constructor(result: Result, content: ToolContent[]) {
    this.result = result
    this.content = content
  }
}

/** Adds content to a result, such as a picture. */
export const withContent = <Result>(result: Result, content: ToolContent[]) => new WithContent(result, content)

/** Creates a tool: checks its arguments and the rights of its caller, then runs it. */
export function makeTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
  run: Run<Input, Output>,
): Tool {
  const parameters = Object.keys(definition.input.shape)
  return {
    definition,
    async call(args, caller) {
      const given = forgiveArguments(args, parameters)
      refuseUnknown(given, parameters)
      const input = parseOrFail(definition.input, given)
      refuseUnlessAllowed(caller, { effect: definition.effect, input })
      const answer = await run(input, caller)
      const result = (answer instanceof WithContent ? answer.result : answer) as Record<string, unknown>
      const content = answer instanceof WithContent ? answer.content : []
      return { result, content: [{ type: 'text', text: JSON.stringify(result) }, ...content] }
    },
  }
}

const MAX_TOLD = 5

/**
 * Refuses unknown arguments. If they were ignored, a call with a misspelt `dryRun` would take effect. A tool without
 * parameters accepts any, because some clients add an argument of their own.
 */
function refuseUnknown(given: unknown, parameters: readonly string[]): void {
  if (parameters.length === 0 || typeof given !== 'object' || given === null) return
  const unknown = Object.keys(given).filter((key) => !parameters.includes(key))
  if (unknown.length === 0) return
  const message = `is no argument of this tool, which takes ${parameters.join(', ')}`
  throw fail(
    'invalid_request',
    unknown.slice(0, MAX_TOLD).map((key) => ({ path: key.slice(0, 100), message })),
  )
}

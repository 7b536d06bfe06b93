import { toServiceError, toToolResult } from '../error-body.ts'
import type { ServiceError } from '../errors.ts'
import { rpcCodes, toRpcFailure } from './rpc-failure.ts'
import { tellProgress } from './tell-progress.ts'

/** Where bugs are reported. */
type Log = { error(details: Record<string, unknown>, message: string): void }
type Expected = (error: unknown) => ServiceError | undefined
type ToolCall<Content> = {
  name: string
  /** Called every second with how long the call has run; absent when the client did not ask. */
  progress: ((seconds: number) => void) | undefined
  call(): Promise<{ result: Record<string, unknown>; content: Content[] }>
}

/**
 * How both MCP servers respond. An expected failure is sent to the client in the form that fits its request. A bug is
 * logged and sent without details. `expected` turns errors of a library that are no bugs into failures.
 */
export function createAnswers(log: Log, expected: Expected = () => undefined) {
  return {
    /** Runs a request that is not a tool call. Its failure is a failure of the protocol. */
    asRpc: async <T>(work: () => T | Promise<T>, data?: unknown): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        const failure = toRpcFailure(expected(error) ?? error, data)
        if (failure.code === rpcCodes.internal) log.error({ err: error }, 'an MCP request failed by a bug')
        throw failure
      }
    },

    /** Runs a tool call. Its failure is a result that the model reads. */
    asToolResult: async <Content>({ name, progress, call }: ToolCall<Content>) => {
      const stop = progress ? tellProgress(progress) : () => {}
      try {
        const { result, content } = await call()
        return { content, structuredContent: result }
      } catch (error) {
        const failure = expected(error) ?? toServiceError(error)
        if (failure.code === 'internal') log.error({ err: error, tool: name }, 'a tool failed by a bug')
        return toToolResult(failure)
      } finally {
        stop()
      }
    },
  }
}

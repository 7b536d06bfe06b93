import { z } from 'zod'
import type { ListedTool } from '@svc/shared/wire/mcp/tool-definition.ts'
import type { ToolContent } from '@svc/shared/wire/mcp/agent-call.api.ts'
import type { LiveGrant } from './rights/agent-rights.ts'

/** The caller of a tool, and a signal that aborts when the result no longer matters. */
export type ToolCall = { grant: LiveGrant; signal: AbortSignal }

/** The result of a tool: structured for programs, and the same as text for the model. */
export type ToolResult = { result: Record<string, unknown>; content: ToolContent[] }

/** A tool of the control plane's endpoint: how it is listed, and what it does with unchecked arguments. */
export type PlatformTool = { listed: ListedTool; call(args: unknown, by: ToolCall): Promise<ToolResult> }

/** The organization, an argument of every tool except the one that lists them. There is no default. */
export const orgArgument = z.string().min(1).max(200)

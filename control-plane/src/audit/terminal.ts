/** The actor for commands at the terminal of the platform, where nobody signs in. */
export const TERMINAL = { kind: 'system', id: 'terminal' } as const

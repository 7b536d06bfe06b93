/** The text with the task on one line (counted from 1) done or open again; the same text if that line has no task. */
export function toggleTask(text: string, line: number): string {
  const lines = text.split('\n')
  const at = line - 1
  lines[at] = (lines[at] ?? '').replace(
    /^([\s>]*(?:[-*+]|\d+[.)])\s+\[)([^\n])(\])/,
    (_, before: string, mark: string, after: string) => `${before}${mark === ' ' ? 'x' : ' '}${after}`,
  )
  return at < text.split('\n').length ? lines.join('\n') : text
}

/** The lengths of the common head and tail of two texts, cut back to whole lines. */
export function commonEnds(a: string, b: string): { head: number; tail: number } {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head++
  if (head > 0 && (head < a.length || head < b.length)) head = a.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  while (tail < most - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  const lineStart = a.indexOf('\n', a.length - tail) + 1
  return { head, tail: tail > 0 && lineStart > 0 ? a.length - lineStart : 0 }
}

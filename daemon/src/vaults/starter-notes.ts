/** The files of a new vault, by path. They are ordinary notes: the owner may change or delete them all. */
export function starterNotes(displayName: string): ReadonlyMap<string, string> {
  return new Map([
    [
      'README.md',
      `# ${displayName}

This folder is a vault: plain Markdown files that people and agents edit together.

- Notes live in [notes](notes/Welcome.md) and wherever you put them.
- Every file stays a plain file. Other editors may change it at any time, and the daemon follows.
- What you delete goes to the trash first and can be restored.
`,
    ],
    [
      'notes/Welcome.md',
      `---
tags: [start]
---

# Welcome

Write here, or make a new note. Some things to try:

- Link to another note: [[Markdown basics]]
- Search for words, "exact phrases", \`tag:start\` or \`path:notes\`
- Let an agent read and edit this vault through the MCP endpoint of the daemon
`,
    ],
    [
      'notes/Markdown basics.md',
      `---
tags: [start, help]
---

# Markdown basics

**Bold**, *italic*, \`code\`, [links](https://commonmark.org) and lists:

1. First
2. Second
   - nested

> Quotes, too.

| Column | Another |
| ------ | ------- |
| one    | two     |

- [ ] A task
- [x] A finished task
`,
    ],
  ])
}

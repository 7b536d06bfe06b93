import { expect, test } from 'vitest'
import { verifies } from '../../../test/requirements.ts'
import { dailyNote, fromTemplate } from './daily-note.ts'
import { fillTemplate, formatDate } from './fill-template.ts'
import { dailyTemplate, templatesOf } from './templates.ts'

const now = new Date(2026, 10, 2, 9, 5)
const filling = { title: 'Plan', now, locale: 'en' }

test.each([
  ['# {{title}} on {{date}} at {{time}}', '# Plan on 2026-11-02 at 09:05'],
  ['{{date:DD.MM.YYYY}} {{date:dddd}} {{date:ddd D}}', '02.11.2026 Monday Mon D'],
  ['{{date:[Day] DD MMMM MMM}}', 'Day 02 November Nov'],
  ['{{other}} {{ title }} {title}', '{{other}} {{ title }} {title}'],
])('%s is filled', (template, filled) => {
  verifies('ui.templates')
  expect(fillTemplate(template, filling)).toBe(filled)
})

test('a title with a placeholder in it is not filled again', () => {
  expect(fillTemplate('{{title}}', { ...filling, title: '{{date}} $&' })).toBe('{{date}} $&')
})

test('a format may make folders, and takes words in brackets as they are', () => {
  expect(formatDate('YYYY/MM/[Day DD]', { now })).toBe('2026/11/Day DD')
})

test('without a template the note of today lies in Daily; the template says where else, and keeps its settings', () => {
  verifies('ui.daily-notes')
  expect(dailyNote(undefined, { now })).toEqual({ path: 'Daily/2026-11-02.md', content: '' })
  const template = '---\ntags: [day] # mine\ndaily-folder: Journal\ndaily-format: YYYY/MM-DD\n---\n# {{title}}\n'
  expect(dailyNote(template, { now })).toEqual({
    path: 'Journal/2026/11-02.md',
    content: '---\ntags: [day] # mine\n---\n# 11-02\n',
  })
  const onlySettings = '---\r\ndaily-folder: /\r\n---\r\n{{title}}\r\n'
  expect(dailyNote(onlySettings, { now })).toEqual({ path: '2026-11-02.md', content: '2026-11-02\r\n' })
  expect(dailyNote('---\ndaily-folder: ../out\n---\n', { now })).toHaveProperty('problem')
})

test('placeholders in the properties of the template leave its settings in force', () => {
  verifies('ui.daily-notes')
  const properties = 'date: {{date}}\ntags: [day, {{title}}]\n# \uE0000\uE000 {{other}}\n'
  const settings = 'daily-folder: Journal/{{date:YYYY}}\ndaily-format: MM-DD\n'
  expect(dailyNote(`---\n${properties}${settings}---\n# {{title}}\n`, { now })).toEqual({
    path: 'Journal/2026/11-02.md',
    content: '---\ndate: 2026-11-02\ntags: [day, 11-02]\n# \uE0000\uE000 {{other}}\n---\n# 11-02\n',
  })
})

test('a template without settings keeps its front matter byte for byte', () => {
  const template = '---\n---\ntext'
  expect(fromTemplate(template, filling)).toBe(template)
  expect(fromTemplate('---\na: [\n---\n{{title}}', filling)).toBe('---\na: [\n---\nPlan')
})

test('templates are the notes in the folder Templates', () => {
  const notes = ['Templates/b.md', 'templates/Daily.md', 'x/Templates/c.md', 'Templates.md'].map((path) => ({
    path,
    name: path.split('/').at(-1)!,
    kind: 'note' as const,
    title: '',
    size: 0,
    modifiedAt: '',
  }))
  expect(templatesOf({ notes }).map(({ path }) => path)).toEqual(['Templates/b.md', 'templates/Daily.md'])
  expect(dailyTemplate({ notes })?.path).toBe('templates/Daily.md')
})

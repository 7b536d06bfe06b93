// A reporter for Vitest: writes what a run came to as JSON to the file that SVC_TEST_TALLY names.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './ensure.mjs'

/**
 * The file holds `{ passed, failed, skipped, failures }`. Each failure is a text: a test, a file that could not be run, or
 * an error that no test caught. Vitest fails the run for such an error, though every test passed.
 */
export default class TallyReporter {
  /** Prints a failure when it happens: the run may take half an hour more, or be ended before its summary. */
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result()
    if (state === 'failed')
      console.error(
        `\n${relative(root, test.module.moduleId)} > ${test.fullName}\n${errors.map(firstLines).join('\n')}`,
      )
  }

  onTestRunEnd(modules, unhandledErrors) {
    const tally = { passed: 0, failed: 0, skipped: 0, failures: [] }
    const fail = (title, errors) => {
      tally.failed += 1
      tally.failures.push(`${title}\n${errors.map(firstLines).join('\n')}`)
    }
    for (const module of modules) {
      const file = relative(root, module.moduleId)
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result()
        if (state === 'passed') tally.passed += 1
        else if (state === 'failed') fail(`${file} > ${test.fullName}`, errors)
        else tally.skipped += 1
      }
      for (const part of [module, ...module.children.allSuites()])
        if (part.errors().length > 0) fail([file, part.fullName].filter(Boolean).join(' > '), part.errors())
    }
    for (const error of unhandledErrors) fail(`an error that no test caught${whileRunning(error)}`, [error])
    writeFileSync(process.env.SVC_TEST_TALLY, JSON.stringify(tally))
  }
}

const whileRunning = ({ VITEST_TEST_PATH: file, VITEST_TEST_NAME: test }) =>
  [file && relative(root, file), test].filter(Boolean).reduce((text, part) => `${text} > ${part}`, '')

const firstLines = ({ name, message, stack }) =>
  (stack ?? `${name}: ${message}`)
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line}`)
    .join('\n')

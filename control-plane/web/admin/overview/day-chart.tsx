import { AxisBottom } from '@visx/axis'
import { scaleLinear, scaleTime } from '@visx/scale'
import { Bar, LinePath } from '@visx/shape'
import type { Overview } from '../admin-answers.ts'

type Hour = Overview['day'][number]

const WIDTH = 480
const HEIGHT = 120
const INSET = { top: 14, right: 40, bottom: 24, left: 20 }
const HOUR_MS = 3_600_000
const timeOf = (at: Date) => at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** The last day: a line of awake daemons over bars of failed operations. The last value is written as a number. */
export default function DayChart({ day }: { day: Hour[] }) {
  const first = new Date(day[0]!.from)
  const last = new Date(new Date(day.at(-1)!.from).getTime() + HOUR_MS)
  const most = Math.max(1, ...day.map(({ awake }) => awake))
  const mostFailed = Math.max(1, ...day.map(({ failed }) => failed))
  const x = scaleTime({ domain: [first, last], range: [INSET.left, WIDTH - INSET.right] })
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - INSET.bottom, INSET.top] })
  const failedHeight = scaleLinear({ domain: [0, mostFailed], range: [0, (HEIGHT - INSET.bottom - INSET.top) / 2] })
  const now = day.at(-1)!
  const succeeded = day.reduce((sum, hour) => sum + hour.succeeded, 0)
  const failed = day.reduce((sum, hour) => sum + hour.failed, 0)
  const number = (count: number) => count.toLocaleString('en')
  const words = `${number(now.awake)} awake now, at most ${number(most)} in the last day. ${number(succeeded)} operations succeeded, ${number(failed)} failed.`

  return (
    <>
      <svg className="day-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        {day.map(({ from, failed: count }) => {
          const height = failedHeight(count)
          return (
            <Bar
              key={from}
              className="day-failed"
              x={x(new Date(from))}
              y={HEIGHT - INSET.bottom - height}
              width={(WIDTH - INSET.left - INSET.right) / 24 - 2}
              height={height}
            />
          )
        })}
        <LinePath
          className="day-awake"
          data={day}
          x={({ from }) => x(new Date(new Date(from).getTime() + HOUR_MS))}
          y={({ awake }) => y(awake)}
        />
        <text className="day-now" x={WIDTH - INSET.right + 6} y={y(now.awake) + 4}>
          {number(now.awake)}
        </text>
        <AxisBottom
          scale={x}
          top={HEIGHT - INSET.bottom}
          numTicks={5}
          tickFormat={(value) => timeOf(value as Date)}
          axisClassName="day-axis"
          tickLength={4}
        />
      </svg>
      <p className="fine">{words}</p>
    </>
  )
}

// The sign test: how often luck alone gives so many wins, if a win is as likely as a loss. Pure.

/** The chance of at least `wins` wins in `decided` fair tosses, summed exactly. */
export function chanceOfWins(wins: number, decided: number): number {
  // Each count of wins weighs what it weighs beside the likeliest one, so that 2^-decided never has to be held.
  const middle = Math.floor(decided / 2)
  let all = 0
  let asGood = 0
  const add = (count: number, weight: number) => {
    all += weight
    if (count >= wins) asGood += weight
  }
  let weight = 1
  for (let count = middle; count <= decided && weight > negligible; count++) {
    add(count, weight)
    weight *= (decided - count) / (count + 1)
  }
  weight = middle / (decided - middle + 1)
  for (let count = middle - 1; count >= 0 && weight > negligible; count--) {
    add(count, weight)
    weight *= count / (decided - count + 1)
  }
  return asGood / all
}

/** What lies further out cannot move a result that is held against 0.05. */
const negligible = 1e-20

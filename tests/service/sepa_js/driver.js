// Does with sepa-js what lines of JSON say, and answers each with a line; what the client is told
// comes as further lines. The client is used as it was published.
//
//   node driver.js node_modules/@arces-wot/sepa-js

'use strict'

const fs = require('fs')
const path = require('path')
const readline = require('readline')

const { client, Jsap } = require(path.resolve(process.argv[2]))

const EVENTS = [
  'subscribed', 'notification', 'added', 'removed', 'unsubscribed', 'error', 'connection-error'
]
const subscriptions = {}
let profile
let sepa // what queries, updates and subscriptions go through
let jsap // what named ones do
let config // a parameter of each call; the client may keep and change it

const doing = {
  begin (asked) {
    profile = JSON.parse(fs.readFileSync(asked.profile))
    sepa = client
    jsap = new Jsap(profile)
    config = () => pick(profile)
  },

  async begin_secure (asked) {
    profile = JSON.parse(fs.readFileSync(asked.profile))
    const made = await client.secure.register(asked.identity, { oauth: profile.oauth })
    // The client that register makes asks port 8443, whatever the profile says.
    sepa = client.secure.defaultClient(made.clientID, made.clientSecret, pick(profile))
    config = () => undefined
    await sepa.login()
  },

  use_token (asked) {
    sepa.webToken = { access_token: asked.token, token_type: 'bearer' }
  },

  query: asked => sepa.query(asked.text, config()),

  update: asked => sepa.update(asked.text, config()),

  named_query: asked => jsap.query(asked.name, asked.bindings),

  named_update: asked => jsap.update(asked.name, asked.bindings),

  subscribe (asked) {
    const options = asked.graphs ? { 'default-graph-uri': asked.graphs } : {}
    return told_of(asked.alias, sepa.subscribe(asked.text, { ...config(), options }, asked.alias))
  },

  named_subscribe: asked => told_of(asked.alias, jsap.subscribe(asked.name, asked.bindings)),

  unsubscribe (asked) {
    const subscription = subscriptions[asked.alias]
    const over = new Promise(resolve => subscription.on('unsubscribed', resolve))
    subscription.unsubscribe()
    return over
  }
}

function pick ({ host, oauth, sparql11protocol, sparql11seprotocol }) {
  return { host, oauth, sparql11protocol, sparql11seprotocol }
}

// Tells of all that a subscription emits; its first answer is that it has begun, or that it cannot.
function told_of (alias, subscription) {
  subscriptions[alias] = subscription
  EVENTS.forEach(event => subscription.on(event, content => say({ event, alias, content })))
  return new Promise((resolve, reject) => {
    subscription.on('subscribed', begun => resolve({ spuid: begun.spuid, alias: begun.alias }))
    subscription.on('error', reject)
    subscription.on('connection-error', reject)
  })
}

function failure (error) {
  const response = error && error.response
  return response ? { status: response.status, body: response.data } : { body: error.message || error }
}

function say (message) {
  process.stdout.write(JSON.stringify(message) + '\n')
}

async function answer (line) {
  const asked = JSON.parse(line)
  try {
    const done = await doing[asked.do](asked)
    say({ done: done === undefined ? null : done })
  } catch (error) {
    say({ failed: failure(error) })
  }
}

readline.createInterface({ input: process.stdin }).on('line', answer).on('close', () => process.exit())

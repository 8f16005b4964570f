# Asks once with each client for Ruby, as ask.mjs does: ruby ask.rb WAY. Two gems share the name that is required: each
# client has a process of its own.
require "json"
require "set"

WAY = ARGV[0]
MESSAGES = [{ role: "user", content: "hello" }].freeze

# The address that is to stand in code: ours, the provider's, or none.
def address(ours, providers)
  { "line" => "#{ENV["TAPEDECK_URL"]}#{ours}", "code" => providers }[WAY]
end

CLIENTS = {
  "anthropic" => lambda do |id|
    base = address("/anthropic", "https://api.anthropic.com")
    require "anthropic"
    client = Anthropic::Client.new(api_key: "own", max_retries: 0, **(base ? { base_url: base } : {}))
    client.messages.create(model: id, max_tokens: 9, messages: MESSAGES)
  end,
  "openai" => lambda do |id|
    base = address("/openai/v1", "https://api.openai.com/v1")
    require "openai"
    client = OpenAI::Client.new(api_key: "own", max_retries: 0, **(base ? { base_url: base } : {}))
    client.chat.completions.create(model: id, messages: MESSAGES)
  end,
  "ruby-openai" => lambda do |id|
    base = address("/openai/", "https://api.openai.com/")
    require "openai"
    client = OpenAI::Client.new(access_token: "own", **(base ? { uri_base: base } : {}))
    client.chat(parameters: { model: id, messages: MESSAGES })
  end,
  # It knows no variable: programs put one into the address.
  "net/http" => lambda do |id|
    providers = "https://api.openai.com/v1"
    named = WAY == "variable" ? ENV["OPENAI_BASE_URL"] : providers
    require "net/http"
    uri = URI("#{address("/openai/v1", providers) || named}/chat/completions")
    Net::HTTP.post(uri, { model: id, messages: MESSAGES }.to_json, "content-type" => "application/json")
  end,
}.freeze

if ARGV[1] == "versions"
  gems = CLIENTS.keys.to_h { |name| [name, Gem::Specification.find_all_by_name(name).map(&:version).max&.to_s] }
  puts gems.merge("net/http" => RUBY_VERSION).to_json
  exit
end

CLIENTS.each do |name, ask|
  id = "ruby.#{name.tr("-/", ".")}.end"
  Process.wait(fork do
    error = ""
    begin
      gem name unless name == "net/http"
      ask.call(id)
    rescue StandardError, LoadError => e
      error = e.message
    end
    puts({ client: name, id: id, error: error }.to_json)
  end)
end

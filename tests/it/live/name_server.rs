//! A name server that knows what a test tells it.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use hickory_resolver::proto::op::{Message, MessageType, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, TXT};
use hickory_resolver::proto::rr::{RData, Record, RecordType};

#[derive(Clone)]
pub enum Known {
    Address(Ipv4Addr),
    Text(&'static str),
}

/// Where it listens; it ends with the test process.
pub fn start(records: &[(&str, Known)]) -> SocketAddr {
    let records: Vec<_> = records
        .iter()
        .map(|(name, known)| (format!("{name}."), known.clone()))
        .collect();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            if let Ok(question) = Message::from_vec(&buffer[..length]) {
                let answer = answer(&question, &records).to_vec().unwrap();
                socket.send_to(&answer, from).unwrap();
            }
        }
    });
    address
}

fn answer(question: &Message, records: &[(String, Known)]) -> Message {
    let mut answer = question.clone();
    answer.metadata.message_type = MessageType::Response;
    answer.metadata.recursion_available = true;
    let mut is_known = false;
    for query in &question.queries {
        let asked = query.name().to_string().to_lowercase();
        for (_, known) in records.iter().filter(|(name, _)| *name == asked) {
            is_known = true;
            let data = match (query.query_type(), known) {
                (RecordType::A, Known::Address(address)) => RData::A(A(*address)),
                (RecordType::TXT, Known::Text(text)) => {
                    RData::TXT(TXT::new(vec![(*text).to_owned()]))
                }
                _ => continue,
            };
            let record = Record::from_rdata(query.name().clone(), 60, data);
            answer.add_answer(record);
        }
    }
    if !is_known {
        answer.metadata.response_code = ResponseCode::NXDomain;
    }
    answer
}
